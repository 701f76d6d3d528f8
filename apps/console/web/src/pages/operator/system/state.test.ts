import { expect, it } from "vitest";

import { relayState, troublesOf, type Health } from "./state";

const now = Date.parse("2026-01-01T12:00:00Z");
const relay = (change: Partial<Health["relays"][number]> = {}): Health["relays"][number] => ({
  id: "r",
  seen_at: "2026-01-01T11:59:55Z",
  version: "1",
  state: "serving",
  started_at: null,
  in_flight: 0,
  leases: 0,
  leased: "0",
  spool: { events: 0, bytes: 0, oldest_at: null },
  body_memory: { bytes: 0, max_bytes: 0, waiting: 0, refused: 0 },
  ...change,
});
const healthy: Health = {
  database: "ok",
  change_version: 1,
  outbox_depth: 0,
  reconciliation: { checked_at: null, hours_checked: 0, hours_open: 1, drift_count: 0, drifts: [] },
  queues: {
    status: "ok",
    eviction_policy: "",
    queues: [],
    workers: [{ id: "w", host: "h", pid: 1, status: "active", started_at: "", active: 0 }],
  },
  relays: [relay()],
  leases: { kinds: [], largest: [] },
  storage: { bytes: 1, partitions: 0 },
  models_without_channel: { count: 0, items: [] },
};
const texts = (change: Partial<Health>) => troublesOf({ ...healthy, ...change }, now).map(({ text }) => text);

it("a healthy platform has no problems", () => expect(texts({})).toEqual([]));

it("reports each kind of problem", () => {
  expect(texts({ database: "failing" })).toHaveLength(1);
  expect(texts({ queues: { ...healthy.queues, workers: [] } })[0]).toContain("No worker");
  expect(texts({ queues: { ...healthy.queues, eviction_policy: "allkeys-lru" } })[0]).toContain(
    "maxmemory-policy is allkeys-lru",
  );
  expect(texts({ relays: [relay({ seen_at: "2026-01-01T11:00:00Z" })] })[0]).toContain("No relay");
  expect(texts({ relays: [relay(), relay({ seen_at: "2026-01-01T11:00:00Z" })] })[0]).toContain(
    "1 relay is not responding",
  );
  expect(texts({ outbox_depth: 10_000 })[0]).toContain("More than 10,000");
});

it("lists severe problems first", () => {
  const found = troublesOf(
    { ...healthy, outbox_depth: 5000, reconciliation: { ...healthy.reconciliation, drift_count: 2 } },
    now,
  );
  expect(found.map(({ severe }) => severe)).toEqual([true, false]);
});

it("relayState distinguishes stopped, silent and alive relays", () => {
  expect([
    relayState(relay({ state: "stopped", seen_at: "2026-01-01T10:00:00Z" }), now),
    relayState(relay({ seen_at: "2026-01-01T11:58:59Z" }), now),
    relayState(relay(), now),
  ]).toEqual(["stopped", "silent", "alive"]);
});
