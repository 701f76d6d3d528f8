// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";

import { renderIn } from "@/components/testing";

import { noHealth } from "./status";
import { StatusOfChannel } from "./StatusOfChannel";

afterEach(cleanup);

const failed = {
  state: "failing" as const,
  credentials: [
    {
      mask: "sk-…1",
      fingerprint: "f",
      status: "enabled" as const,
      since: null,
      probe: { status: 0, latency_ms: 1, error: "connect", probed_at: "2026-01-01T00:00:00Z" },
    },
  ],
  relays: [],
};

it("a failing channel has its word and its reason, and no other word", () => {
  renderIn(<StatusOfChannel setting="enabled" health={failed} reason />);
  expect(screen.getByText("Failing")).toBeTruthy();
  expect(screen.getByText("The last probe of sk-…1 failed: Connection failed")).toBeTruthy();
  expect(screen.queryByText(/Enabled|Healthy|well/)).toBeNull();
});

it("a channel that no probe has checked is not called healthy", () => {
  renderIn(<StatusOfChannel setting="enabled" health={noHealth} reason />);
  expect(screen.getByText("Not checked yet")).toBeTruthy();
  expect(screen.queryByText("Healthy")).toBeNull();
});

it("a disabled channel needs no health", () => {
  renderIn(<StatusOfChannel setting="disabled" health={undefined} />);
  expect(screen.getByText("Disabled")).toBeTruthy();
});
