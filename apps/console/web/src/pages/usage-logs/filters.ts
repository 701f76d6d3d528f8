import type { paths } from "@tollgate/client/console";

import type { Schema } from "@/api/client";
import { oneOf, text } from "@/routes/root";

export type LogQuery = NonNullable<paths["/api/usage-logs"]["get"]["parameters"]["query"]>;

/** The time spans of the filter. They end now. */
export const spans = ["15m", "1h", "24h", "7d", "30d"] as const;
export type LogSpan = (typeof spans)[number];

export const spanNames: Record<LogSpan, string> = { "15m": "Last 15 minutes", "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", "30d": "Last 30 days" };

const minutes: Record<LogSpan, number> = { "15m": 15, "1h": 60, "24h": 1440, "7d": 7 * 1440, "30d": 30 * 1440 };

/** The outcomes of calls. "partial" means that the answer broke off after it had begun. */
export const outcomes = ["success", "partial", "failed"] as const;

/** The query string of the usage logs. */
export interface LogSearch {
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
  /** Shows new logs as they arrive. */
  live?: true | undefined;
  /** The id of the log whose receipt is open. */
  log?: string | undefined;
}

const moment = (value: unknown) => {
  const found = text(value, 40);
  return found && !Number.isNaN(Date.parse(found)) ? found : undefined;
};

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
  live: search["live"] === true ? true : undefined,
  log: text(search["log"], 36),
});

/** Returns the filters without the state of the page. */
export function filtersOf({ live: _live, log: _log, ...filters }: LogSearch) {
  return filters;
}

export type LogFilters = ReturnType<typeof filtersOf>;

/** Reports whether any filter is set. */
export const isFiltered = (filters: LogFilters) => Object.values(filters).some((value) => value !== undefined);

/** Returns the start and the end of the filters' time, with a span counted back from `now`. */
export function timeOf({ span, from, to }: LogFilters, now: number): { from?: string; to?: string } {
  if (span) return { from: new Date(now - minutes[span] * 60_000).toISOString() };
  return { ...(from && { from: new Date(from).toISOString() }), ...(to && { to: new Date(to).toISOString() }) };
}

/** Returns the filters as the API's parameters. */
export function logQuery(filters: LogFilters, now: number): LogQuery {
  return {
    ...timeOf(filters, now),
    model: filters.model,
    token_id: filters.token,
    user_id: filters.user,
    tenant_id: filters.tenant,
    channel_id: filters.channel,
    outcome: filters.outcome,
  };
}

/** Returns the request body that exports the logs that match the filters. */
export function exportOf(filters: LogFilters, format: Schema<"UsageExport">["format"], now: number): Schema<"UsageExport"> {
  return { format, ...logQuery(filters, now) };
}
