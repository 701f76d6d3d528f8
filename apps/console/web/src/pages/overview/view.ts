import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import type { Identity } from "@/api/session";
import { logTimes, type Range, spanBetween, spanOf, type Span } from "@/components/usage/range";
import { total, type Measure, type Totals } from "@/components/usage/series";
import { timeZone } from "@/format/time";
import type { LogSearch } from "@/pages/usage-logs/filters";

import { type Dimension, dimensionsOf, filterOf, type OverviewFilter, type OverviewSearch } from "./search";

/** The selected time, filter, grouping and measure of the overview. */
export interface View {
  /** undefined: a time that the user has chosen. */
  range: Range | undefined;
  span: Span;
  filter: OverviewFilter;
  /** Whether the filter limits anything. */
  filtered: boolean;
  by: Dimension;
  choices: Dimension[];
  /** The dimensions of the lists. */
  lists: Dimension[];
  measure: Measure;
  /** The selected tag, or "*user" for end users; undefined: the first one with usage. */
  tag: string | undefined;
  /** Whether usage by end user and tag is read: for those who see the usage of all users, and one tenant. */
  attributed: boolean;
}

/** Returns what a query string selects for a user. */
export function viewOf({ user: { role } }: Identity, search: OverviewSearch, now: number): View {
  const filter = filterOf(search);
  const choices = dimensionsOf(role, filter);
  const own = search.from !== undefined && search.to !== undefined;
  const fixed = Object.entries(filter).flatMap(([by, value]) => (value === undefined ? [] : [by]));
  const range = search.range ?? "30d";
  return {
    range: own ? undefined : range,
    span: own ? spanBetween(Date.parse(search.from ?? ""), Date.parse(search.to ?? ""), now) : spanOf(range, now),
    filter,
    filtered: fixed.length > 0,
    by: choices.find((one) => one === search.by) ?? choices[0] ?? "model",
    choices,
    lists: choices.slice(0, role === "operator" ? 3 : 2),
    measure: search.measure ?? "spend",
    tag: search.tag,
    attributed:
      role !== "member" && fixed.every((by) => by === "tenant") && (role !== "operator" || filter.tenant !== undefined),
  };
}

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
function overviewQuery({
  span: { from, to, bucket },
  filter: { model, token, user, tenant, channel },
  by,
  lists,
  filtered,
  attributed,
}: View) {
  // A list of what a filter fixes has one row, with its name.
  const named = filtered
    ? [token && "token", user && "user", tenant && "tenant", channel && "channel"].flatMap((one) =>
        one ? [one as Dimension] : [],
      )
    : [];
  const query = {
    from,
    to,
    bucket,
    zone: timeZone(),
    series: by,
    by: [...lists, ...named].slice(0, 5),
    model,
    token_id: token,
    user_id: user,
    tenant_id: tenant,
    channel_id: channel,
    failures: 5,
    attribution: attributed || undefined,
  };
  return queryOptions({
    queryKey: ["usage-overview", query],
    queryFn: () => ask(api.GET("/api/usage-overview", { params: { query } })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
}

export const quotaQuery = queryOptions({ queryKey: ["quota"], queryFn: () => ask(api.GET("/api/quota")) });

/** Begins to read what the overview shows, while its code is loaded. */
export function prefetchOverview(identity: Identity, search: OverviewSearch) {
  void queryClient.prefetchQuery(overviewQuery(viewOf(identity, search, Date.now())));
  void (identity.user.role === "operator" ? import("./PlatformOverview") : queryClient.prefetchQuery(quotaQuery));
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
