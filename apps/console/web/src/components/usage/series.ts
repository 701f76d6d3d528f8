import { plural, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { parseUsd, shortUsd, showUsd } from "@/format/money";
import { shortCount, showCount, showDecimal } from "@/format/number";

import { bucketsOf, type Span } from "./range";

type Row = Schema<"UsageSummaryRow">;

/**
 * The measures that a chart can show. Amounts of "spend" and "cost" are nano-dollars, the others are counts; all are
 * exact. "cost" is what suppliers charge, which only operators see.
 */
export const measures = ["spend", "requests", "tokens"] as const;
export const allMeasures = [...measures, "cost"] as const;
export type Measure = (typeof allMeasures)[number];

/** Reports whether amounts of a measure are money. */
export const isMoney = (measure: Measure) => measure === "spend" || measure === "cost";

export const measureNames: Record<Measure, string> = {
  get cost() {
    return t({ message: "Cost", context: "what suppliers charge" });
  },
  get spend() {
    return t`Spend`;
  },
  get requests() {
    return t`Requests`;
  },
  get tokens() {
    return t({ message: "Tokens", context: "token count" });
  },
};

/** Reports whether a value of a dimension stands for none, such as that of requests that no channel answered. */
export const isNone = (value: string | undefined) => value === undefined || /^[0-]*$/.test(value);

/** Returns the row's amount of a measure. */
export function amountOf(row: Row, measure: Measure): bigint {
  if (measure === "spend") return parseUsd(row.quota);
  if (measure === "cost") return parseUsd(row.supplier?.cost ?? "0");
  return BigInt(measure === "requests" ? row.requests : row.tokens.total);
}

/** Returns the exact amount of a measure as text. */
export const showAmount = (amount: bigint, measure: Measure) =>
  isMoney(measure) ? showUsd(amount) : showCount(Number(amount));

/** Returns a rounded amount of a measure as text. */
export const shortAmount = (amount: bigint, measure: Measure) =>
  isMoney(measure) ? shortUsd(amount) : shortCount(Number(amount));

/** Converts an amount to a number for the height of a bar. The number is not exact: do not calculate with it. */
export const plotAmount = (amount: bigint, measure: Measure) =>
  isMoney(measure) ? Number(amount) / 1e9 : Number(amount);

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

const othersName = (count: number) => plural(count, { one: "# other", other: "# others" });

/** Returns the sum of each series above zero, largest first, with equal sums in the order of names. */
function totals(rows: Row[], measure: Measure): Series[] {
  const found = new Map<string, Series>();
  for (const row of rows) {
    const one = found.get(row.value) ?? {
      key: "",
      value: row.value,
      name: isNone(row.value) ? t`No channel` : row.name || row.value,
      total: 0n,
    };
    found.set(row.value, { ...one, total: one.total + amountOf(row, measure) });
  }
  return [...found.values()]
    .filter(({ total }) => total > 0n)
    .toSorted((a, b) => (a.total === b.total ? a.name.localeCompare(b.name) : a.total > b.total ? -1 : 1));
}

const sum = (amounts: Iterable<bigint>) => {
  let total = 0n;
  for (const amount of amounts) total += amount;
  return total;
};

/**
 * Turns the rows of a usage summary into a stack of series over time: the eight largest, and all others as one
 * series. Rows outside the span are ignored.
 */
export function stack(rows: Row[], measure: Measure, span: Pick<Span, "starts" | "to">): Stack {
  const ranked = totals(rows, measure);
  const series: Series[] = ranked.slice(0, most).map((one, i) => ({ ...one, key: `s${i}` }));
  const rest = ranked.slice(most);
  if (rest.length > 0)
    series.push({
      key: "other",
      value: undefined,
      name: othersName(rest.length),
      total: sum(rest.map(({ total }) => total)),
    });
  const columns = new Map(series.flatMap(({ value }, i) => (value === undefined ? [] : [[value, i] as const])));
  const points = span.starts.map((start) => ({ start, amounts: series.map(() => 0n) }));
  const bucketAt = bucketsOf(span);
  for (const row of rows) {
    const amounts = points[bucketAt(row.start)]?.amounts;
    const column = columns.get(row.value) ?? series.length - 1;
    if (amounts && series.length > 0) amounts[column] = (amounts[column] ?? 0n) + amountOf(row, measure);
  }
  return {
    series,
    points: points.map((point) => ({ ...point, total: sum(point.amounts) })),
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
    (all, row) => ({
      spend: all.spend + parseUsd(row.quota),
      requests: all.requests + row.requests,
      failed: all.failed + row.failed,
      tokens: all.tokens + row.tokens.total,
    }),
    { spend: 0n, requests: 0, failed: 0, tokens: 0 },
  );
}

/** How an amount compares with that of an earlier time. */
export type Comparison =
  | { is: "first" }
  | { is: "same" }
  | { is: "multiple"; times: number }
  | { is: "more" | "less"; by: bigint; share: string };

/** Compares two amounts. An amount that has tripled is a multiple, which says more than a large difference. */
export function compare(now: bigint, then: bigint): Comparison {
  if (then === 0n) return { is: "first" };
  if (now === then) return { is: "same" };
  if (now >= 3n * then) return { is: "multiple", times: Number((now * 10n) / then) / 10 };
  const by = now > then ? now - then : then - now;
  return { is: now > then ? "more" : "less", by, share: showShare(Number(by), Number(then)) };
}

/**
 * Returns `part` of `whole` in percent, with one decimal below ten, such as "1.3%". Small shares above zero are
 * "<0.1%".
 */
export function showShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0%";
  const percent = (part / whole) * 100;
  return percent < 0.1 ? "<0.1%" : `${showDecimal(percent, percent < 10 ? 1 : 0)}%`;
}
