// @vitest-environment happy-dom
import { act, cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";

import { factorsQuery } from "./factors";
import { SecondFactor } from "./SecondFactor";

let totp: boolean;
const answer = (data: unknown) => ({ data, response: new Response() }) as never;

beforeEach(() => {
  totp = false;
  queryClient.clear();
  vi.spyOn(api, "GET").mockImplementation((async () => answer({ totp, recovery_codes: 10 })) as never);
  vi.spyOn(api, "POST").mockImplementation((async (path: string) => {
    if (path === "/api/session/totp") return answer({ uri: "otpauth://totp/a", secret: "ABC" });
    totp = true;
    return answer({ recovery_codes: ["code-one", "code-two"] });
  }) as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Sets up an authenticator app up to the recovery codes. */
async function setUp() {
  renderIn(<SecondFactor />);
  await userEvent.click(await screen.findByRole("button", { name: "Set up an authenticator app" }));
  await userEvent.type(await screen.findByLabelText("Your password"), "secret");
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "Code" }), "123456");
  await userEvent.click(screen.getByRole("button", { name: "Turn on" }));
  await screen.findByText("code-one");
}

it("shows the recovery codes until they are saved, also when the factors are read again", async () => {
  await setUp();
  await act(() => queryClient.invalidateQueries({ queryKey: factorsQuery.queryKey })); // as the focus of a window does
  await screen.findByText("On");
  expect(screen.getByText("code-one")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "I have saved them" }));
  expect(screen.queryByText("code-one")).toBeNull();
});

it("is on, and the session is read again, also if the recovery codes are closed", async () => {
  queryClient.setQueryData(sessionQuery.queryKey, { must_enrol: true } as Identity);
  await setUp();
  await userEvent.click(within(screen.getByRole("dialog")).getAllByRole("button")[0] as HTMLElement); // the X
  expect(await screen.findByText("On")).toBeTruthy();
  expect(screen.queryByText("code-one")).toBeNull();
  expect(queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated).toBe(true);
});
