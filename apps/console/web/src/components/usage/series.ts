import type { Schema } from "@/api/client";
import { parseUsd, shortUsd, showUsd } from "@/format/money";
import { shortCount, showCount } from "@/format/number";

type Row = Schema<"UsageSummaryRow">;

/** The measures that a chart can show. Amounts of "spend" are nano-dollars, the others are counts; both are exact. */
export const measures = ["spend", "requests", "tokens"] as const;
export type Measure = (typeof measures)[number];

export const measureNames: Record<Measure, string> = { spend: "Spend", requests: "Requests", tokens: "Tokens" };

/** Returns the row's amount of a measure. */
export function amountOf(row: Row, measure: Measure): bigint {
  if (measure === "spend") return parseUsd(row.quota);
  return BigInt(measure === "requests" ? row.requests : row.tokens.total);
}

/** Returns the exact amount of a measure as text. */
export const showAmount = (amount: bigint, measure: Measure) => (measure === "spend" ? showUsd(amount) : showCount(Number(amount)));

/** Returns a rounded amount of a measure as text. */
export const shortAmount = (amount: bigint, measure: Measure) => (measure === "spend" ? shortUsd(amount) : shortCount(Number(amount)));

/** Converts an amount to a number for the height of a bar. The number is not exact: do not calculate with it. */
export const plotAmount = (amount: bigint, measure: Measure) => (measure === "spend" ? Number(amount) / 1e9 : Number(amount));

/** One series of a chart, such as the usage of one model. `key` is unique within the chart. */
export interface Series {
  key: string;
  /** A model id, or the id of a token, user, channel or tenant; undefined for the series of all others. */
  value: string | undefined;
  name: string;
  total: bigint;
}

/** One bucket of a chart with the amount of each series. */
export interface Point {
  start: string;
  /** The amounts in the order of the series. */
  amounts: bigint[];
  total: bigint;
}

/** The data of a stacked chart. All amounts are of the same measure. */
export interface Stack {
  series: Series[];
  points: Point[];
  total: bigint;
}

/** The maximum number of series before the rest is combined into one. */
const most = 8;

/** Returns the sum of each series above zero, largest first, with equal sums in the order of names. */
function totals(rows: Row[], measure: Measure): Series[] {
  const found = new Map<string, Series>();
  for (const row of rows) {
    const one = found.get(row.value) ?? { key: "", value: row.value, name: row.name || row.value, total: 0n };
    found.set(row.value, { ...one, total: one.total + amountOf(row, measure) });
  }
  return [...found.values()].filter(({ total }) => total > 0n).toSorted((a, b) => (a.total === b.total ? a.name.localeCompare(b.name) : a.total > b.total ? -1 : 1));
}

const sum = (amounts: Iterable<bigint>) => {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
};

/**
 * Turns the rows of a usage summary into a stack of series over time: the eight largest, and all others as one
 * series. `starts` lists the buckets; rows of other buckets are ignored.
 */
export function stack(rows: Row[], measure: Measure, starts: string[]): Stack {
  const ranked = totals(rows, measure);
  const series: Series[] = ranked.slice(0, most).map((one, i) => ({ ...one, key: `s${i}` }));
  const rest = ranked.slice(most);
  if (rest.length > 0) series.push({ key: "other", value: undefined, name: `${rest.length} others`, total: sum(rest.map(({ total }) => total)) });
  const columns = new Map(series.flatMap(({ value }, i) => (value === undefined ? [] : [[value, i] as const])));
  const points = new Map(starts.map((start) => [Date.parse(start), series.map(() => 0n)]));
  for (const row of rows) {
    const amounts = points.get(Date.parse(row.start ?? ""));
    const column = columns.get(row.value) ?? series.length - 1;
    if (amounts && series.length > 0) amounts[column] = (amounts[column] ?? 0n) + amountOf(row, measure);
  }
  return {
    series,
    points: starts.map((start) => {
      const amounts = points.get(Date.parse(start)) ?? [];
      return { start, amounts, total: sum(amounts) };
    }),
    total: sum(series.map(({ total }) => total)),
  };
}

/** The totals of a usage summary. `spend` is in nano-dollars. */
export interface Totals {
  spend: bigint;
  requests: number;
  failed: number;
  tokens: number;
}

/** Adds up all rows of a summary. */
export function total(rows: Row[]): Totals {
  return rows.reduce<Totals>(
    (all, row) => ({ spend: all.spend + parseUsd(row.quota), requests: all.requests + row.requests, failed: all.failed + row.failed, tokens: all.tokens + row.tokens.total }),
    { spend: 0n, requests: 0, failed: 0, tokens: 0 },
  );
}

/** Returns by how many percent `now` is above (or below) `then`; undefined if `then` is zero. */
export function change(now: bigint, then: bigint): number | undefined {
  if (then === 0n) return undefined;
  return Number(((now - then) * 1000n) / then) / 10;
}

/**
 * Returns `part` of `whole` in percent, with one decimal below ten, such as "1.3%". Small shares above zero are
 * "<0.1%".
 */
export function showShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0%";
  const percent = (part / whole) * 100;
  return percent < 0.1 ? "<0.1%" : `${percent.toFixed(percent < 10 ? 1 : 0)}%`;
}
