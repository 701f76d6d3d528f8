import type { Schema } from "@/api/client";
import { parseUsd, share, type Nano } from "@/format/money";

/** What of a quota can be divided. */
export type Dividable = Pick<Schema<"Quota">, "granted" | "used" | "leased">;

/** What has become of a quota, in nano-dollars and, for bars alone, in percent of what was granted. */
export interface Division {
  granted: Nano;
  used: Nano;
  /** Leased to relays: neither used nor free. */
  leased: Nano;
  free: Nano;
  usedShare: number;
  leasedShare: number;
}

/** Divides a limited quota; null where it is unlimited. What is overdrawn leaves nothing free, never less. */
export function divide(quota: Dividable): Division | null {
  if (quota.granted === null) return null;
  const granted = parseUsd(quota.granted);
  const used = parseUsd(quota.used);
  const leased = parseUsd(quota.leased);
  const free = granted - used - leased;
  const usedShare = share(used, granted);
  return { granted, used, leased, free: free > 0n ? free : 0n, usedShare, leasedShare: Math.min(share(leased, granted), 100 - usedShare) };
}

/** How full a bar is told: low from 80 percent on, out from 95. */
export function toneOf(division: Division): "calm" | "low" | "out" {
  if (division.usedShare >= 95) return "out";
  return division.usedShare >= 80 ? "low" : "calm";
}

const windows = { lifetime: "In all", day: "Per day", week: "Per week", month: "Per month" } as const;

/** "Per day", as the name of a limit's window. */
export const windowOf = (period: Schema<"Limit">["period"]): string => windows[period];
