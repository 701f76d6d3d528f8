import { afterEach, describe, expect, it, vi } from "vitest";

import type { Schema } from "@/api/client";

import { daysFrom, logTimes, spanBetween, spanOf } from "./range";
import { compare, showShare, stack, total } from "./series";

type Row = Schema<"UsageSummaryRow">;

const tokens = {
  input: 0,
  cached_input: 0,
  cache_write: 0,
  audio_input: 0,
  output: 0,
  reasoning: 0,
  audio_output: 0,
  total: 10,
};
const row = (start: string, value: string, quota: string): Row => ({
  start,
  value,
  name: value,
  requests: 2,
  partial: 0,
  failed: 1,
  tokens,
  quota,
});

const days = { starts: ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"], to: "2026-01-02T12:00:00.000Z" };

describe("stack", () => {
  it("sorts series by total and fills days without usage with zero", () => {
    const {
      series,
      points,
      total: all,
    } = stack([row("2026-01-01T00:00:00Z", "a", "1"), row("2026-01-01T00:00:00Z", "b", "2.5")], "spend", days);
    expect(series.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(points).toEqual([
      { start: days.starts[0], amounts: [2_500_000_000n, 1_000_000_000n], total: 3_500_000_000n },
      { start: days.starts[1], amounts: [0n, 0n], total: 0n },
    ]);
    expect(all).toBe(3_500_000_000n);
  });

  it("combines all series after the eighth into one", () => {
    const rows = Array.from({ length: 12 }, (_, i) => row("2026-01-02T00:00:00Z", `m${i}`, "0.1"));
    const { series, points, total: all } = stack(rows, "spend", days);
    expect(series).toHaveLength(9);
    expect(series.at(-1)?.name).toBe("4 others");
    expect(points[1]?.amounts.at(-1)).toBe(400_000_000n);
    expect(all).toBe(1_200_000_000n);
  });

  it("adds a row to the bucket that has its start, and ignores rows outside all buckets", () => {
    const rows = ["2025-12-31T23:00:00Z", "2026-01-01T23:00:00Z", "2026-01-02T12:00:00Z"].map((at) =>
      row(at, "a", "1"),
    );
    expect(stack(rows, "requests", days).points.map(({ total }) => total)).toEqual([2n, 0n]);
  });

  it("leaves out series whose total is zero", () =>
    expect(stack([row("2026-01-01T00:00:00Z", "free", "0")], "spend", days).series).toEqual([]));
});

it("total adds up all rows", () =>
  expect(total([row("", "a", "0.1"), row("", "b", "0.2")])).toEqual({
    spend: 300_000_000n,
    requests: 4,
    failed: 2,
    tokens: 20,
  }));

it.each([
  [150n, 100n, { is: "more", by: 50n, share: "50%" }],
  [97n, 100n, { is: "less", by: 3n, share: "3.0%" }],
  [0n, 100n, { is: "less", by: 100n, share: "100%" }],
  [299n, 100n, { is: "more", by: 199n, share: "199%" }],
  [300n, 100n, { is: "multiple", times: 3 }],
  [856n, 100n, { is: "multiple", times: 8.5 }],
  [100n, 100n, { is: "same" }],
  [5n, 0n, { is: "first" }],
  [0n, 0n, { is: "first" }],
])("%s after %s is %o", (now, then, found) => expect(compare(now, then)).toEqual(found));

it.each([
  [0, 10, "0%"],
  [1, 3, "33%"],
  [1, 30, "3.3%"],
  [1, 100_000, "<0.1%"],
])("%d of %d is %s", (part, whole, shown) => expect(showShare(part, whole)).toBe(shown));

describe("spanOf", () => {
  const now = Date.parse("2026-01-10T12:34:56Z");
  it("ends with the current hour", () => {
    const { starts, bucket } = spanOf("24h", now);
    expect([starts.length, bucket, starts.at(-1), starts[0]]).toEqual([
      24,
      "hour",
      "2026-01-10T12:00:00.000Z",
      "2026-01-09T13:00:00.000Z",
    ]);
  });
  it("starts days at midnight", () => expect(spanOf("7d", now).from).toBe("2026-01-04T00:00:00.000Z"));
});

describe("spanBetween", () => {
  const now = Date.parse("2026-01-10T12:34:56Z");
  const between = (from: string, to: string) => spanBetween(Date.parse(from), Date.parse(to), now);

  it("divides up to three days into hours, from the hour of the start", () => {
    const { from, to, bucket, count, starts, ended } = between("2026-01-01T10:20:00Z", "2026-01-02T09:30:00Z");
    expect([from, to, bucket, count, ended]).toEqual([
      "2026-01-01T10:00:00.000Z",
      "2026-01-02T09:30:00.000Z",
      "hour",
      24,
      true,
    ]);
    expect([starts.length, starts[0], starts.at(-1)]).toEqual([
      24,
      "2026-01-01T10:00:00.000Z",
      "2026-01-02T09:00:00.000Z",
    ]);
  });

  it("divides a longer span into days, the first and the last of which may be parts", () => {
    const { bucket, count, starts } = between("2025-12-31T16:00:00Z", "2026-01-05T16:00:00Z");
    expect([bucket, count, starts.length, starts[0], starts.at(-1)]).toEqual([
      "day",
      5,
      6,
      "2025-12-31T00:00:00.000Z",
      "2026-01-05T00:00:00.000Z",
    ]);
  });

  it("ends now at the latest", () =>
    expect(between("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")).toMatchObject({
      to: "2026-01-10T12:35:00.000Z",
      ended: false,
    }));
});

describe("logTimes", () => {
  const now = Date.parse("2026-01-10T12:34:56Z");
  const week = spanOf("7d", now);

  it("leaves the end of a span open that continues", () =>
    expect(logTimes(week)).toEqual({ from: "2026-01-04T00:00:00.000Z" }));
  it("names both ends of a past day", () =>
    expect(logTimes(week, "2026-01-05T00:00:00.000Z")).toEqual({
      from: "2026-01-05T00:00:00.000Z",
      to: "2026-01-06T00:00:00.000Z",
    }));
  it("leaves the end of the current day open", () =>
    expect(logTimes(week, week.starts.at(-1))).toEqual({ from: "2026-01-10T00:00:00.000Z" }));
  it("cuts a day to the span", () => {
    const custom = spanBetween(Date.parse("2025-12-31T16:00:00Z"), Date.parse("2026-01-05T16:00:00Z"), now);
    expect(logTimes(custom)).toEqual({ from: "2025-12-31T16:00:00.000Z", to: "2026-01-05T16:00:00.000Z" });
    expect(logTimes(custom, custom.starts[0])).toEqual({
      from: "2025-12-31T16:00:00.000Z",
      to: "2026-01-01T00:00:00.000Z",
    });
    expect(logTimes(custom, custom.starts.at(-1))).toEqual({
      from: "2026-01-05T00:00:00.000Z",
      to: "2026-01-05T16:00:00.000Z",
    });
  });
});

describe("in the reader's time zone", () => {
  afterEach(() => vi.unstubAllEnvs());
  const hours = (starts: string[]) =>
    starts.slice(1).map((start, i) => (Date.parse(start) - Date.parse(starts[i] ?? "")) / 3_600_000);

  it.each([
    ["Europe/Berlin", "2026-03-30T10:00:00Z", "2026-03-23T23:00:00.000Z", [24, 24, 24, 24, 24, 23]],
    ["Europe/Berlin", "2026-10-26T10:00:00Z", "2026-10-19T22:00:00.000Z", [24, 24, 24, 24, 24, 25]],
    ["America/New_York", "2026-03-09T12:00:00Z", "2026-03-03T05:00:00.000Z", [24, 24, 24, 24, 24, 23]],
    ["America/New_York", "2026-11-02T12:00:00Z", "2026-10-27T04:00:00.000Z", [24, 24, 24, 24, 24, 25]],
    // Midnight is 18:30 in UTC, which is rounded up to the hour.
    ["Asia/Kolkata", "2026-01-10T12:00:00Z", "2026-01-03T19:00:00.000Z", [24, 24, 24, 24, 24, 24]],
    // The hour of 00:10 on the 11th began on the 10th.
    ["Asia/Kolkata", "2026-01-10T18:40:00Z", "2026-01-03T19:00:00.000Z", [24, 24, 24, 24, 24, 24]],
    ["Asia/Kolkata", "2026-01-10T19:00:00Z", "2026-01-04T19:00:00.000Z", [24, 24, 24, 24, 24, 24]],
    // The clocks of Cairo skip the hour after midnight.
    ["Africa/Cairo", "2026-04-26T12:00:00Z", "2026-04-19T22:00:00.000Z", [24, 24, 24, 24, 23, 24]],
  ])("spanOf in %s at %s has the days from %s on", (zone, now, from, lengths) => {
    vi.stubEnv("TZ", zone);
    const { starts, ...span } = spanOf("7d", Date.parse(now));
    expect([span.from, starts[0], starts.length, hours(starts)]).toEqual([from, from, 7, lengths]);
  });

  it("spanBetween divides three days with a change of the clocks into hours", () => {
    vi.stubEnv("TZ", "Europe/Berlin");
    const now = Date.parse("2026-11-20T00:00:00Z");
    const { bucket, starts } = spanBetween(Date.parse("2026-10-23T22:00:00Z"), Date.parse("2026-10-26T23:00:00Z"), now);
    expect([bucket, starts.length]).toEqual(["hour", 73]);
  });

  it("spanBetween has the days from the first to the last midnight, and logTimes those of one", () => {
    const now = Date.parse("2026-11-20T00:00:00Z");
    vi.stubEnv("TZ", "Europe/Berlin");
    const berlin = spanBetween(Date.parse("2026-10-22T22:00:00Z"), Date.parse("2026-10-27T23:00:00Z"), now);
    expect([berlin.count, berlin.starts.length, hours(berlin.starts)]).toEqual([5, 5, [24, 24, 25, 24]]);
    expect(logTimes(berlin, "2026-10-24T22:00:00.000Z")).toEqual({
      from: "2026-10-24T22:00:00.000Z",
      to: "2026-10-25T23:00:00.000Z",
    });
    vi.stubEnv("TZ", "Asia/Kolkata");
    const kolkata = spanBetween(Date.parse("2026-10-22T18:30:00Z"), Date.parse("2026-10-27T18:30:00Z"), now);
    expect([kolkata.from, kolkata.starts.length, kolkata.starts[0]]).toEqual([
      "2026-10-22T19:00:00.000Z",
      5,
      "2026-10-22T19:00:00.000Z",
    ]);
  });

  it("daysFrom begins with the current day", () => {
    vi.stubEnv("TZ", "Europe/Berlin");
    const starts = daysFrom(Date.parse("2026-03-28T23:30:00Z"), 2).map((at) => new Date(at).toISOString());
    expect(starts).toEqual(["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]);
  });
});
