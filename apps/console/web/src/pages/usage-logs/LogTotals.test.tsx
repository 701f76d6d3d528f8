// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { LogTotals } from "./LogTotals";

beforeEach(() => queryClient.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it.each([
  [400, "Too many requests to add up. Choose a shorter time."],
  [503, "The database is unavailable."],
])("says why the totals are missing after the status %d", async (status, text) => {
  vi.spyOn(api, "GET").mockResolvedValue({
    error: { status, code: "x", detail: "The database is unavailable." },
    response: new Response(null, { status }),
  } as never);
  renderIn(<LogTotals filters={{}} />);
  expect(await screen.findByText(text)).toBeTruthy();
});
