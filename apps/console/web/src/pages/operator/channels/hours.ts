import type { Schema } from "@/api/client";

/** The calls of one hour, labeled in the reader's time zone. */
export interface Hour {
  hour: string;
  answered: number;
  failed: number;
}

const length = 3600_000;
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Returns the last 24 hours with the calls of each, including hours without calls. */
export function hoursOf(rows: readonly Pick<Schema<"UsageSummaryRow">, "start" | "requests" | "failed">[], now: number): Hour[] {
  const found = new Map(rows.map((row) => [row.start ? Date.parse(row.start) : 0, row]));
  const last = Math.floor(now / length) * length;
  return Array.from({ length: 24 }, (_, i) => {
    const start = last - (23 - i) * length;
    const row = found.get(start);
    return { hour: clock.format(start), answered: (row?.requests ?? 0) - (row?.failed ?? 0), failed: row?.failed ?? 0 };
  });
}
