import type { Schema } from "@/api/client";
import { showPercent as showRatio } from "@/format/number";

type UsageLog = Schema<"UsageLog">;

/** Returns the value at the given percentile (nearest rank); undefined for an empty list. */
export function percentile(numbers: readonly number[], percent: number): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)] ?? sorted[0];
}

/** Returns the first-byte times in ms of successful calls, keyed by the id of the channel that answered. */
export function firstBytes(logs: readonly UsageLog[]): Map<string, number[]> {
  const times = new Map<string, number[]>();
  for (const log of logs) {
    if (!log.channel_id || log.outcome === "failed") continue;
    const own = times.get(log.channel_id);
    if (own) own.push(log.first_byte_ms);
    else times.set(log.channel_id, [log.first_byte_ms]);
  }
  return times;
}

/** Returns the percentage of calls that failed; undefined without calls. */
export function errorShare(requests: number, failed: number): number | undefined {
  return requests === 0 ? undefined : (failed / requests) * 100;
}

/** Formats a percentage, such as "0%", "0.4%" or "12%". */
export function showPercent(percent: number): string {
  if (percent === 0 || percent >= 10) return showRatio(Math.round(percent) / 100);
  return percent < 0.1 ? `<${showRatio(0.001)}` : showRatio(percent / 100);
}
