// @vitest-environment happy-dom
import { Notifications, notifications } from "@mantine/notifications";
import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import type { Identity } from "@/api/session";
import { renderPage, stallReads } from "@/components/testingPages";
import { discardUnsaved, useAnswering, useUnsaved } from "@/components/unsaved";

import AccountMenuOpen from "./AccountMenuOpen";

const { changeLanguage, leave } = vi.hoisted(() => ({ changeLanguage: vi.fn(), leave: vi.fn() }));
vi.mock("@/api/session", async (original) => ({ ...(await original<object>()), changeLanguage, leave }));

const identity = { user: { id: "anna", email: "anna@acme.example", role: "member" } } as Identity;

/** A page with a form, and with an answer that is being written. */
function Page({ filled, answering }: { filled: boolean; answering: boolean }) {
  useUnsaved({ isDirty: () => filled });
  useAnswering(() => answering);
  return (
    <>
      <Notifications transitionDuration={0} />
      <AccountMenuOpen identity={identity} />
    </>
  );
}

const show = (change: { filled?: boolean; answering?: boolean } = {}) =>
  renderPage(() => <Page filled={false} answering={false} {...change} />, "/tokens");
const click = async (name: string, role = "button") => userEvent.click(await screen.findByRole(role, { name }));
const end = (status: number, error = {}) =>
  vi
    .spyOn(api, "DELETE")
    .mockImplementation((async () => ({ error, response: new Response(null, { status }) })) as never);

stallReads();
beforeEach(() => {
  changeLanguage.mockReset();
  leave.mockReset();
});
afterEach(() => {
  notifications.clean();
  discardUnsaved();
});

describe("another language", () => {
  it("is taken at once if nothing is lost", async () => {
    show();
    await click("简体中文", "radio");
    expect(changeLanguage).toHaveBeenCalledWith("zh-Hans");
  });

  it.each([
    ["what was entered", { filled: true }, "What you entered is not saved."],
    ["the rest of an answer", { answering: true }, "The rest of the answer is not written."],
  ])("asks before it drops %s", async (_, page, text) => {
    show(page);
    await click("简体中文", "radio");
    await screen.findByText(text);
    expect(changeLanguage).not.toHaveBeenCalled();
    await click("Leave");
    expect(changeLanguage).toHaveBeenCalledWith("zh-Hans");
  });
});

describe("signing out", () => {
  it("asks before the session ends whether to drop what was entered", async () => {
    const ended = end(204);
    show({ filled: true });
    await click("Sign out", "menuitem");
    await screen.findByText("What you entered is not saved.");
    expect(ended).not.toHaveBeenCalled();
    await click("Leave");
    await waitFor(() => expect(leave).toHaveBeenCalledOnce());
  });

  it("leaves if the session has ended already", async () => {
    end(401);
    show();
    await click("Sign out", "menuitem");
    await waitFor(() => expect(leave).toHaveBeenCalledOnce());
  });

  it("stays and says why if the session may still be valid", async () => {
    end(503, { detail: "The database is unavailable." });
    show();
    await click("Sign out", "menuitem");
    await screen.findByText("The database is unavailable.");
    expect(leave).not.toHaveBeenCalled();
  });
});
