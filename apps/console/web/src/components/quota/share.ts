import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { parseUsd, share, type Nano } from "@/format/money";

/** The amounts of a quota that a bar shows. */
export type Dividable = Pick<Schema<"Quota">, "granted" | "used" | "leased">;

/**
 * The parts of a limited quota in nano-dollars. The shares are percentages of the granted amount and serve only to
 * draw bars.
 */
export interface Division {
  granted: Nano;
  used: Nano;
  /** Leased to relays: not used yet, and no longer free. */
  leased: Nano;
  free: Nano;
  usedShare: number;
  leasedShare: number;
}

/**
 * Divides a limited quota into its parts; returns null for an unlimited one. An overdrawn quota has 0 free, never a
 * negative amount.
 */
export function divide(quota: Dividable): Division | null {
  if (quota.granted === null) return null;
  const granted = parseUsd(quota.granted);
  const used = parseUsd(quota.used);
  const leased = parseUsd(quota.leased);
  const free = granted - used - leased;
  // Both shares together must not exceed 100, because they are drawn in one bar.
  const usedShare = share(used, granted);
  return {
    granted,
    used,
    leased,
    free: free > 0n ? free : 0n,
    usedShare,
    leasedShare: Math.min(share(leased, granted), 100 - usedShare),
  };
}

/** Returns the color class of a bar: "low" from 80 percent used, "out" from 95 percent. */
export function toneOf(division: Division): "calm" | "low" | "out" {
  if (division.usedShare >= 95) return "out";
  return division.usedShare >= 80 ? "low" : "calm";
}

const periods: Record<Schema<"Limit">["period"], MessageDescriptor> = {
  lifetime: msg`Total`,
  day: msg`Per day`,
  week: msg`Per week`,
  month: msg`Per month`,
};

/** Returns the label of a limit's period, such as "Per day". */
export const windowOf = (period: Schema<"Limit">["period"]): string => i18n._(periods[period]);
