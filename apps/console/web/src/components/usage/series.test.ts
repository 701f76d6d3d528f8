import { describe, expect, it } from "vitest";

import type { Schema } from "@/api/client";

import { logTimes, spanBetween, spanOf } from "./range";
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

const days = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];

describe("stack", () => {
  it("sorts series by total and fills days without usage with zero", () => {
    const {
      series,
      points,
      total: all,
    } = stack([row("2026-01-01T00:00:00Z", "a", "1"), row("2026-01-01T00:00:00Z", "b", "2.5")], "spend", days);
    expect(series.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(points).toEqual([
      { start: days[0], amounts: [2_500_000_000n, 1_000_000_000n], total: 3_500_000_000n },
      { start: days[1], amounts: [0n, 0n], total: 0n },
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
  it("starts days at midnight UTC", () => expect(spanOf("7d", now).from).toBe("2026-01-04T00:00:00.000Z"));
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

  it("divides a longer span into UTC days, the first and the last of which may be parts", () => {
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
