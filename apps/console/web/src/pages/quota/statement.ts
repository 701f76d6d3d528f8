import type { Schema } from "@/api/client";
import { daysFrom } from "@/components/usage/range";
import { decimalUsd, type Nano, parseUsd } from "@/format/money";

type Entry = Schema<"LedgerEntry">;
type Usage = Schema<"UsageSummaryRow">;

/** One line of a statement: an entry of the ledger, or the usage of a day in UTC. */
export interface Line {
  key: string;
  at: string;
  kind: Entry["kind"] | "usage";
  /** The reason of an entry; "" for usage. */
  reason: string;
  /** Negative if it lowers the balance. */
  amount: Nano;
  /** The balance after the line. */
  balance: Nano;
}

/** What happened to the quota of a tenant in a month. */
export interface Statement {
  opening: Nano;
  granted: Nano;
  used: Nano;
  closing: Nano;
  /** Oldest first. */
  lines: Line[];
}

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

/** Returns the month of a name such as 2026-11; undefined for any other text. */
export function monthOf(name: string): Month | undefined {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name);
  return match ? monthAt(Date.UTC(Number(match[1]), Number(match[2]) - 1, 1)) : undefined;
}

/** Returns the month `offset` months after another one. */
export const after = (month: Month, offset: number) => monthAt(Date.parse(month.from), offset);

const add = (amounts: Nano[]) => amounts.reduce((sum, amount) => sum + amount, 0n);

/**
 * Returns the statement of a month. `left` is the balance now, `entries` are all entries of the ledger since the start
 * of the month, and `usage` has the usage of each day since then. The balance before and after is computed back from
 * `left`.
 */
export function statement(month: Month, left: string, entries: Entry[], usage: Usage[]): Statement {
  const [from, to] = [Date.parse(month.from), Date.parse(month.to)];
  const all = [
    ...entries.map((entry) => ({
      key: entry.id,
      at: entry.created_at,
      kind: entry.kind,
      reason: entry.reason,
      amount: parseUsd(entry.amount),
      time: Date.parse(entry.created_at),
    })),
    // The usage of a day counts at its end, after the grants of the day.
    ...usage.flatMap(({ start: begin, quota }) =>
      begin
        ? [
            {
              key: begin,
              at: begin,
              kind: "usage" as const,
              reason: "",
              amount: -parseUsd(quota),
              time: Date.parse(begin) + day - 1,
            },
          ]
        : [],
    ),
  ].filter(({ amount, time }) => amount !== 0n && time >= from);
  const closing = parseUsd(left) - add(all.filter(({ time }) => time >= to).map(({ amount }) => amount));
  const within = all.filter(({ time }) => time < to).toSorted((a, b) => a.time - b.time);
  const opening = closing - add(within.map(({ amount }) => amount));
  let balance = opening;
  const lines = within.map(({ key, at, kind, reason, amount }) => ({
    key,
    at,
    kind,
    reason,
    amount,
    balance: (balance += amount),
  }));
  const used = -add(within.filter(({ kind }) => kind === "usage").map(({ amount }) => amount));
  return { opening, granted: closing - opening + used, used, closing, lines };
}

/** Quotes a field of CSV. A text that a spreadsheet could take for a formula gets an apostrophe in front. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns a statement as CSV, with exact amounts in USD. */
export function statementCSV({ opening, lines, closing }: Statement, month: Month): string {
  const rows = [
    ["time", "kind", "reason", "amount", "balance"],
    [month.from, "opening_balance", "", "", decimalUsd(opening)],
    ...lines.map(({ at, kind, reason, amount, balance }) => [
      at,
      kind,
      field(reason),
      decimalUsd(amount),
      decimalUsd(balance),
    ]),
    [month.to, "closing_balance", "", "", decimalUsd(closing)],
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
