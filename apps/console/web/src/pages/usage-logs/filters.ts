import { t } from "@lingui/core/macro";
import type { paths } from "@tollgate/client/console";

import type { Schema } from "@/api/client";
import { orderSearch, type OrderSearch } from "@/components/table/orderSearch";
import { moment, oneOf, text } from "@/routes/root";

/** What the API sorts usage logs by, by the ids of the columns. */
export const logSorts = { time: "created_at" } as const;

export type LogQuery = NonNullable<paths["/api/usage-logs"]["get"]["parameters"]["query"]>;

/** The time spans of the filter. They end now. */
export const spans = ["15m", "1h", "24h", "7d", "30d"] as const;
export type LogSpan = (typeof spans)[number];

export const spanNames: Record<LogSpan, string> = {
  get "15m"() {
    return t`Last 15 minutes`;
  },
  get "1h"() {
    return t`Last hour`;
  },
  get "24h"() {
    return t`Last 24 hours`;
  },
  get "7d"() {
    return t`Last 7 days`;
  },
  get "30d"() {
    return t`Last 30 days`;
  },
};

const minutes: Record<LogSpan, number> = { "15m": 15, "1h": 60, "24h": 1440, "7d": 7 * 1440, "30d": 30 * 1440 };

/** The outcomes of calls. "partial" means that the answer broke off after it had begun. */
export const outcomes = ["success", "partial", "failed"] as const;

/** The query string of the usage logs. */
export interface LogSearch extends OrderSearch<"created_at"> {
  span?: LogSpan | undefined;
  /** The inclusive start and the exclusive end as ISO text, used if there is no span. */
  from?: string | undefined;
  to?: string | undefined;
  model?: string | undefined;
  token?: string | undefined;
  user?: string | undefined;
  tenant?: string | undefined;
  channel?: string | undefined;
  outcome?: (typeof outcomes)[number] | undefined;
  end_user?: string | undefined;
  /** The id of a client of the token. */
  client?: string | undefined;
  /** A tag as name=value. */
  tag?: string | undefined;
  /** The id of a request. The list has only this request, whatever the other filters are. */
  request?: string | undefined;
  /** The reason of refused calls, a code of the API. */
  reason?: string | undefined;
  /** Shows the calls that were refused before they reached a model, in place of the logs. */
  show?: "refused" | undefined;
  /** false: new logs do not appear by themselves. Absent: they do, on the first page. */
  live?: false | undefined;
  /** The id of the log whose receipt is open. */
  log?: string | undefined;
}

/** Returns the text of a filter by tag if the API accepts it: a name, "=" and a value. */
export function tagFilter(value: unknown): string | undefined {
  const found = text(value, 161);
  return found && /^[a-z0-9_-]{1,32}=.+$/.test(found) ? found : undefined;
}

/** Returns the id of a request in a text: a UUID, in any case and with blanks or quotes around it. */
export function requestFilter(value: unknown): string | undefined {
  const found = text(value, 60)
    ?.replace(/^[\s"'`]+|[\s"'`]+$/g, "")
    .toLowerCase();
  return found && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(found) ? found : undefined;
}

/** Parses a query string. Unknown values are dropped. */
export const logSearch = (search: Record<string, unknown>): LogSearch => ({
  span: oneOf(search["span"], spans),
  from: moment(search["from"]),
  to: moment(search["to"]),
  model: text(search["model"]),
  token: text(search["token"], 36),
  user: text(search["user"], 36),
  tenant: text(search["tenant"], 36),
  channel: text(search["channel"], 36),
  outcome: oneOf(search["outcome"], outcomes),
  end_user: text(search["end_user"], 128),
  client: text(search["client"], 36),
  tag: tagFilter(search["tag"]),
  request: requestFilter(search["request"]),
  reason: text(search["reason"], 60),
  show: search["show"] === "refused" ? "refused" : undefined,
  live: search["live"] === false ? false : undefined,
  log: text(search["log"], 36),
  ...orderSearch(search, Object.values(logSorts)),
});

/** Returns the filters without the state of the page. */
export function filtersOf({ live: _live, show: _show, log: _log, sort: _sort, order: _order, ...filters }: LogSearch) {
  return filters;
}

export type LogFilters = ReturnType<typeof filtersOf>;

/** No filter: what a new filter takes the place of. */
export const noFilters = {
  span: undefined,
  from: undefined,
  to: undefined,
  model: undefined,
  token: undefined,
  user: undefined,
  tenant: undefined,
  channel: undefined,
  outcome: undefined,
  end_user: undefined,
  client: undefined,
  tag: undefined,
  request: undefined,
  reason: undefined,
} satisfies Record<keyof LogFilters, undefined>;

/** Reports whether any filter is set. */
export const isFiltered = (filters: LogFilters) => Object.values(filters).some((value) => value !== undefined);

/** Reports whether new requests can match the filters: not if they end in the past, or name a single request. */
export const isOpen = ({ span, to, request }: LogFilters, now: number) =>
  request === undefined && (span !== undefined || to === undefined || Date.parse(to) > now);

/** Returns the start and the end of the filters' time, with a span counted back from `now`. */
export function timeOf({ span, from, to }: LogFilters, now: number): { from?: string; to?: string } {
  if (span) return { from: new Date(now - minutes[span] * 60_000).toISOString() };
  return { ...(from && { from: new Date(from).toISOString() }), ...(to && { to: new Date(to).toISOString() }) };
}

/**
 * Returns the filters as the API's parameters, except the id of a request, which the API finds by another operation.
 */
export function logQuery(filters: LogFilters, now: number): LogQuery {
  return {
    ...timeOf(filters, now),
    model: filters.model,
    token_id: filters.token,
    user_id: filters.user,
    tenant_id: filters.tenant,
    channel_id: filters.channel,
    outcome: filters.outcome,
    end_user: filters.end_user,
    client_id: filters.client,
    ...(filters.tag && { tag: [filters.tag] }),
  };
}

/** Returns the request body that exports the logs that match the filters. */
export function exportOf(
  filters: LogFilters,
  format: Schema<"UsageExport">["format"],
  now: number,
): Schema<"UsageExport"> {
  return { format, ...logQuery(filters, now) };
}
