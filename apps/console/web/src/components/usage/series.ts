import type { Schema } from "@/api/client";
import { parseUsd, shortUsd, showUsd } from "@/format/money";
import { shortCount, showCount } from "@/format/number";

type Row = Schema<"UsageSummaryRow">;

/** What is measured. Amounts are nano-dollars, all others counts: exact in either case. */
export const measures = ["spend", "requests", "tokens"] as const;
export type Measure = (typeof measures)[number];

export const measureNames: Record<Measure, string> = { spend: "Spend", requests: "Requests", tokens: "Tokens" };

/** How much of a measure a row has. */
export function amountOf(row: Row, measure: Measure): bigint {
  if (measure === "spend") return parseUsd(row.quota);
  return BigInt(measure === "requests" ? row.requests : row.tokens.total);
}

/** An amount of a measure as it is read. */
export const showAmount = (amount: bigint, measure: Measure) => (measure === "spend" ? showUsd(amount) : showCount(Number(amount)));

/** The same, short. */
export const shortAmount = (amount: bigint, measure: Measure) => (measure === "spend" ? shortUsd(amount) : shortCount(Number(amount)));

/** For the height of a bar and nothing else. */
export const plotAmount = (amount: bigint, measure: Measure) => (measure === "spend" ? Number(amount) / 1e9 : Number(amount));

export interface Series {
  key: string;
  /** A model id, or the id of a token, user, channel or tenant; undefined for all others together. */
  value: string | undefined;
  name: string;
  total: bigint;
}

export interface Point {
  start: string;
  /** In the order of the series. */
  amounts: bigint[];
  total: bigint;
}

export interface Stack {
  series: Series[];
  points: Point[];
  total: bigint;
}

const most = 8;

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

/** The rows of a summary by time and one dimension, stacked: the eight greatest, and all others as one. */
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

export interface Totals {
  spend: bigint;
  requests: number;
  failed: number;
  tokens: number;
}

/** All rows of a summary together. */
export function total(rows: Row[]): Totals {
  return rows.reduce<Totals>(
    (all, row) => ({ spend: all.spend + parseUsd(row.quota), requests: all.requests + row.requests, failed: all.failed + row.failed, tokens: all.tokens + row.tokens.total }),
    { spend: 0n, requests: 0, failed: 0, tokens: 0 },
  );
}

/** By how many percent a figure is above (or below) that of the time before; undefined where there was nothing. */
export function change(now: bigint, then: bigint): number | undefined {
  if (then === 0n) return undefined;
  return Number(((now - then) * 1000n) / then) / 10;
}

/** part of whole in percent with one decimal, such as "1.3%"; a trace is "<0.1%". */
export function showShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0%";
  const percent = (part / whole) * 100;
  return percent < 0.1 ? "<0.1%" : `${percent.toFixed(percent < 10 ? 1 : 0)}%`;
}
