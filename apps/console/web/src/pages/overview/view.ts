import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { readTime } from "@/api/early";
import { queryClient } from "@/api/query";
import type { Identity } from "@/api/session";
import { logTimes } from "@/components/usage/range";
import { total, type Totals } from "@/components/usage/series";
import { summaryQuery } from "@/components/usage/useSummary";
import type { LogSearch } from "@/pages/usage-logs/filters";

import { type Dimension, overviewParameters, type OverviewSearch, pastParameters, type View, viewOf } from "./query";

/**
 * Returns the filters of the usage logs that have the view's usage, or a part of it: that of a bucket, or with more
 * filters.
 */
export const logsOf = (
  { filter, span }: Pick<View, "filter" | "span">,
  more: LogSearch = {},
  start?: string,
): LogSearch => ({ ...filter, ...logTimes(span, start), ...more });

/** The usage of the view's time: its sums, the sums of the period before it, the series of the chart and the lists. */
export interface Usage {
  data: Schema<"UsageOverview"> | undefined;
  /** The totals of the view's time, and of the period of the same length before it. */
  totals: Totals | undefined;
  earlier: Totals | undefined;
  error: unknown;
  retry: () => void;
}

/** What each part of the overview gets. `set` changes the query string. */
export interface PartProps {
  view: View;
  usage: Usage;
  set: (change: OverviewSearch) => void;
}

/** Reads all usage that the overview shows, with one request. */
function overviewQuery(view: View) {
  const query = overviewParameters(view);
  return queryOptions({
    queryKey: ["usage-overview", query],
    queryFn: () => ask(api.GET("/api/usage-overview", { params: { query } })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

export const quotaQuery = queryOptions({ queryKey: ["quota"], queryFn: () => ask(api.GET("/api/quota")) });

/** Reads what the overview shows, while its code is loaded. */
export async function prefetchOverview(identity: Identity, search: OverviewSearch): Promise<void> {
  const now = readTime();
  const operator = identity.user.role === "operator";
  void (operator ? import("./PlatformOverview") : queryClient.prefetchQuery(quotaQuery));
  const { total } = await queryClient.fetchQuery(overviewQuery(viewOf(identity, search, now)));
  if (!operator && total.requests === 0) await queryClient.prefetchQuery(summaryQuery(pastParameters(now)));
}

/** Returns the usage of the view. */
export function useUsage(view: View): Usage {
  const { data, error, refetch } = useQuery(overviewQuery(view));
  return {
    data,
    totals: data && total([data.total]),
    earlier: data && total([data.previous]),
    error,
    retry: () => void refetch(),
  };
}

/** Returns the list by a dimension. */
export const breakdownBy = (usage: Usage, by: Dimension) => usage.data?.breakdowns.find((one) => one.by === by);

/** Returns the rows of a breakdown, undefined while they load, and the error if there are none. */
export function rowsOf({ error }: Usage, breakdown: Schema<"UsageBreakdown"> | undefined) {
  if (breakdown?.fault) return { rows: undefined, error: new Error(breakdown.fault) };
  return { rows: breakdown?.items, error };
}
