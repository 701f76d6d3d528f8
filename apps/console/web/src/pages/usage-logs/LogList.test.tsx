// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";

import { LiveLine } from "./LogList";

afterEach(cleanup);

const nothing = () => undefined;

it.each([
  ["live", "Live: new requests appear at the top"],
  ["reading", "Live updates are paused while you read"],
  ["older", "Live updates are paused on older pages"],
  ["ended", "No live updates: this time has ended"],
  ["oldest", "No live updates: the oldest requests are first"],
] as const)("LiveLine says why it is %s", (state, text) => {
  renderIn(<LiveLine state={state} waiting={0} resume={nothing} newest={nothing} />);
  expect(screen.getByRole("status").textContent).toBe(state === "older" ? `${text}Back to the newest` : text);
});

it("LiveLine says nothing where the user has turned it off", () => {
  renderIn(<LiveLine state="off" waiting={0} resume={nothing} newest={nothing} />);
  expect(screen.queryByRole("status")).toBeNull();
});

it("LiveLine shows the requests that have come while the user read", async () => {
  const resume = vi.fn();
  renderIn(<LiveLine state="reading" waiting={3} resume={resume} newest={nothing} />);
  await userEvent.click(screen.getByRole("button", { name: "Show 3 newer requests" }));
  expect(resume).toHaveBeenCalledOnce();
});
