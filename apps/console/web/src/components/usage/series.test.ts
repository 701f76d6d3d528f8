import { describe, expect, it } from "vitest";

import type { Schema } from "@/api/client";

import { before, spanOf } from "./range";
import { change, showShare, stack, total } from "./series";

type Row = Schema<"UsageSummaryRow">;

const tokens = { input: 0, cached_input: 0, cache_write: 0, audio_input: 0, output: 0, reasoning: 0, audio_output: 0, total: 10 };
const row = (start: string, value: string, quota: string): Row => ({ start, value, name: value, requests: 2, partial: 0, failed: 1, tokens, quota });

const days = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"];

describe("stack", () => {
  it("sorts series by total and fills days without usage with zero", () => {
    const { series, points, total: all } = stack([row("2026-01-01T00:00:00Z", "a", "1"), row("2026-01-01T00:00:00Z", "b", "2.5")], "spend", days);
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

  it("leaves out series whose total is zero", () => expect(stack([row("2026-01-01T00:00:00Z", "free", "0")], "spend", days).series).toEqual([]));
});

it("total adds up all rows", () => expect(total([row("", "a", "0.1"), row("", "b", "0.2")])).toEqual({ spend: 300_000_000n, requests: 4, failed: 2, tokens: 20 }));

it("change compares with the previous period", () => {
  expect(change(150n, 100n)).toBe(50);
  expect(change(50n, 100n)).toBe(-50);
  expect(change(50n, 0n)).toBeUndefined();
});

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
    expect([starts.length, bucket, starts.at(-1), starts[0]]).toEqual([24, "hour", "2026-01-10T12:00:00.000Z", "2026-01-09T13:00:00.000Z"]);
  });
  it("starts days at midnight UTC", () => expect(spanOf("7d", now).from).toBe("2026-01-04T00:00:00.000Z"));
  it("starts where the previous period ends", () => {
    const span = spanOf("7d", now);
    expect(before(span).to).toBe(span.from);
  });
});
