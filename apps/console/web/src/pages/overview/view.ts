import { useMemo } from "react";

import { before, type Range, type Span } from "@/components/usage/range";
import { total, type Measure } from "@/components/usage/series";
import { useSummary } from "@/components/usage/useSummary";

import type { Dimension, OverviewSearch } from "./search";

/** The selected time, grouping and measure of the overview. `set` changes them in the URL. */
export interface View {
  range: Range;
  span: Span;
  by: Dimension;
  choices: Dimension[];
  measure: Measure;
  set: (change: OverviewSearch) => void;
}

/** Returns the totals of the view's time and of the period of the same length before it. */
export function useTotals({ span }: View) {
  const now = useSummary({ from: span.from, to: span.to });
  const then = useSummary(before(span));
  const totals = useMemo(() => now.data && total(now.data), [now.data]);
  const earlier = useMemo(() => then.data && total(then.data), [then.data]);
  return { totals, earlier, error: now.error, retry: () => void now.refetch() };
}
