import type { Schema } from "@/api/client";
import { bucketsOf, type Span } from "@/components/usage/range";
import { tickOf, titleOf } from "@/components/usage/rangeNames";
import { sumUsd } from "@/format/money";

type Row = Pick<Schema<"UsageSummaryRow">, "start" | "requests" | "failed">;

/** The calls of one hour or day. */
export interface Step {
  start: string;
  /** The label under the axis, and the full name. */
  tick: string;
  title: string;
  answered: number;
  failed: number;
}

/** Returns the calls of each hour or day of the span, including those without calls. */
export function stepsOf(rows: readonly Row[], span: Pick<Span, "starts" | "to" | "bucket">): Step[] {
  const { starts, bucket } = span;
  const bucketAt = bucketsOf(span);
  const found = new Map(rows.map((row) => [bucketAt(row.start), row]));
  return starts.map((start, i) => {
    const { requests, failed } = found.get(i) ?? { requests: 0, failed: 0 };
    return { start, tick: tickOf(start, bucket), title: titleOf(start, bucket), answered: requests - failed, failed };
  });
}

/** What the channel's upstream charged, and the quota that was deducted for the calls whose cost is known. */
export interface Margin {
  cost: bigint;
  /** The number of calls whose cost is known. */
  requests: number;
  quota: bigint;
  margin: bigint;
}

/** Adds up what is known of the costs. */
export function marginOf(rows: readonly Pick<Schema<"UsageSummaryRow">, "supplier">[]): Margin {
  const known = rows.flatMap(({ supplier }) => (supplier ? [supplier] : []));
  const quota = sumUsd(known.map((sums) => sums.quota));
  const cost = sumUsd(known.map((sums) => sums.cost));
  return { cost, quota, margin: quota - cost, requests: known.reduce((sum, { requests }) => sum + requests, 0) };
}
