// @vitest-environment happy-dom
import { act, cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { Simulation } from "./Simulation";

const answer = (data: object) => ({ data, response: new Response() }) as never;
const none = { items: [], rest: { calls: 0, before: "0", after: "0", difference: "0" } };
const result = {
  calls: 1,
  affected: 0,
  unpriced: 0,
  before: "1",
  after: "2",
  difference: "1",
  tenants: none,
  groups: none,
  models: none,
};
const stale = "The change was edited since. Simulate again.";
const of = (multiplier: string) => (
  <Simulation proposal={{ rule: { group_id: "g", model: "", multiplier } } as never} disabled={false} />
);

beforeEach(() => {
  queryClient.clear();
  vi.spyOn(api, "GET").mockResolvedValue(
    answer({ id: "j", status: "finished", progress: { done: 1, total: 1 }, result: { price_simulation: result } }),
  );
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it.each([
  ["is stale if the proposal changed while it was started", "2", true],
  ["is current if the proposal is the same", "1", false],
])("a result %s", async (_, later, expected) => {
  let started: (call: never) => void = () => {};
  vi.spyOn(api, "POST").mockReturnValue(new Promise((resolve) => (started = resolve)) as never);
  const { rerender } = renderIn(of("1"));
  await userEvent.click(screen.getByRole("button", { name: "Simulate" }));
  rerender(of(later));
  await act(async () => started(answer({ id: "j" })));
  await screen.findByText("Simulated");
  expect(screen.queryByText(stale) !== null).toBe(expected);
});
