// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { ChannelUsage } from "./ChannelUsage";

beforeEach(() => queryClient.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("asks for the usage of its channel alone, and not for that of all channels", async () => {
  const start = new Date(Math.floor(Date.now() / 3600_000) * 3600_000).toISOString();
  const read = vi
    .spyOn(api, "GET")
    .mockImplementation((async (path: string) => ({
      data: { items: path === "/api/usage-summary" ? [{ start, value: "", requests: 7, failed: 0, quota: "1" }] : [] },
      response: new Response(),
    })) as never);
  renderIn(<ChannelUsage id="c" range="24h" onRange={() => {}} />);
  expect(await screen.findByText("7")).toBeTruthy();
  const query = expect.objectContaining({ channel_id: "c" }) as unknown;
  expect(read).toHaveBeenCalledWith("/api/usage-summary", { params: { query } });
});
