import { afterEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";

import { fetchNewest } from "./useLiveLogs";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("reads the whole page once a minute, for the logs of long calls", async () => {
  vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z") });
  const get = vi
    .spyOn(api, "GET")
    .mockResolvedValue({ data: { items: [{ id: "a" }], next: "" }, response: new Response() } as never);
  const wholePages = () =>
    get.mock.calls.filter((call: unknown[]) => !JSON.stringify(call[1]).includes("newer_than")).length;
  let page = await fetchNewest({}, undefined);
  expect(wholePages()).toBe(1);
  for (let seconds = 2; seconds < 60; seconds += 2) {
    vi.advanceTimersByTime(2_000);
    page = await fetchNewest({}, page);
  }
  expect(wholePages()).toBe(1);
  vi.advanceTimersByTime(2_000);
  page = await fetchNewest({}, page);
  expect(wholePages()).toBe(2);
  expect(page.rows.map(({ id }) => id)).toEqual(["a"]);
});
