// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { LiveLine } from "./LogList";
import { useLogPages } from "./useLogPages";

afterEach(() => {
  cleanup();
  queryClient.clear();
  vi.restoreAllMocks();
});

const nothing = () => undefined;

it.each([
  ["live", "Live: new requests appear at the top"],
  ["reading", "Live updates are paused while you read"],
  ["older", "Live updates are paused on older pages"],
  ["ended", "No live updates: this time has ended"],
  ["oldest", "No live updates: the oldest requests are first"],
] as const)("LiveLine says why it is %s", (state, text) => {
  renderIn(<LiveLine state={state} error={undefined} waiting={0} resume={nothing} newest={nothing} />);
  expect(screen.getByRole("status").textContent).toBe(state === "older" ? `${text}Back to the newest` : text);
});

it("LiveLine says nothing where the user has turned it off", () => {
  renderIn(<LiveLine state="off" error={undefined} waiting={0} resume={nothing} newest={nothing} />);
  expect(screen.queryByRole("status")).toBeNull();
});

it("LiveLine shows the requests that have come while the user read", async () => {
  const resume = vi.fn();
  renderIn(<LiveLine state="reading" error={undefined} waiting={3} resume={resume} newest={nothing} />);
  await userEvent.click(screen.getByRole("button", { name: "Show 3 newer requests" }));
  expect(resume).toHaveBeenCalledOnce();
});

function Live() {
  const { state, waiting, pages } = useLogPages({ filters: {}, order: {}, wanted: true });
  return <LiveLine state={state} error={pages.error} waiting={waiting} resume={nothing} newest={nothing} />;
}

it("says why new requests can't be read, until they can", async () => {
  let refused = false;
  vi.spyOn(api, "GET").mockImplementation((async () =>
    refused
      ? { error: { detail: "The role was changed." }, response: new Response(null, { status: 403 }) }
      : { data: { items: [], next: "" }, response: new Response() }) as never);
  renderIn(<Live />);
  await screen.findByText("Live: new requests appear at the top");
  refused = true;
  await screen.findByText("New requests can't be read: The role was changed.");
  refused = false;
  await screen.findByText("Live: new requests appear at the top");
});
