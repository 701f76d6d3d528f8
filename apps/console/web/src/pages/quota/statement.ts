import type { Schema } from "@/api/client";
import { daysFrom } from "@/components/usage/range";
import { type Nano, parseUsd } from "@/format/money";

/** A month in UTC, such as 2026-11, with its bounds. */
export interface Month {
  name: string;
  from: string;
  /** The exclusive end. */
  to: string;
}

const day = 86_400_000;

const startOf = (year: number, month: number) => new Date(Date.UTC(year, month, 1)).toISOString();

/** Returns the month that is `offset` months from the one that contains `now`. */
export function monthAt(now: number, offset = 0): Month {
  const at = new Date(now);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth() + offset];
  const from = startOf(year, month);
  return { name: from.slice(0, 7), from, to: startOf(year, month + 1) };
}

/** Returns the month of a name such as 2026-11, from 2000 on as in the API; undefined for any other text. */
export function monthOf(name: string): Month | undefined {
  const match = /^(2\d{3})-(0[1-9]|1[0-2])$/.exec(name);
  return match ? monthAt(Date.UTC(Number(match[1]), Number(match[2]) - 1, 1)) : undefined;
}

/** Returns the month `offset` months after another one. */
export const after = (month: Month, offset: number) => monthAt(Date.parse(month.from), offset);

/** Quotes a field of CSV. A text that a spreadsheet could take for a formula gets an apostrophe in front. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns a statement as CSV, with exact amounts in USD. */
export function statementCSV({ opening, lines, closing }: Schema<"Statement">, month: Month): string {
  const rows = [
    ["time", "kind", "reason", "amount", "balance"],
    [month.from, "opening_balance", "", "", opening],
    ...lines.map(({ at, kind, reason, amount, balance }) => [at, kind, field(reason), amount, balance]),
    [month.to, "closing_balance", "", "", closing],
  ];
  return rows.map((row) => `${row.join(",")}\r\n`).join("");
}

/** One day of a forecast. */
export interface Ahead {
  start: string;
  left: Nano;
}

/** The number of days that a forecast shows. */
export const daysAhead = 30;

/** Returns what is left of a quota at the start of each of the reader's next days, if each day costs `daily`. */
export function ahead(left: string, daily: string, now: number): Ahead[] {
  const [rest, cost] = [parseUsd(left), parseUsd(daily)];
  return daysFrom(now, daysAhead).map((start, i) => {
    // The part of today that is over is spent already. The product is rounded down to a nano-dollar.
    const spent = i === 0 ? 0n : (cost * BigInt(start - now)) / BigInt(day);
    const then = rest - spent;
    return { start: new Date(start).toISOString(), left: then > 0n ? then : 0n };
  });
}
