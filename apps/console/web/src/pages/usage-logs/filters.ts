import type { paths } from "@tollgate/client/console";

import type { Schema } from "@/api/client";
import { oneOf, text } from "@/routes/root";

export type LogQuery = NonNullable<paths["/api/usage-logs"]["get"]["parameters"]["query"]>;

/** Spans that end now. */
export const spans = ["15m", "1h", "24h", "7d", "30d"] as const;
export type LogSpan = (typeof spans)[number];

export const spanNames: Record<LogSpan, string> = { "15m": "Last 15 minutes", "1h": "Last hour", "24h": "Last 24 hours", "7d": "Last 7 days", "30d": "Last 30 days" };

const minutes: Record<LogSpan, number> = { "15m": 15, "1h": 60, "24h": 1440, "7d": 7 * 1440, "30d": 30 * 1440 };

export const outcomes = ["success", "partial", "failed"] as const;

/** The query string of the page of usage logs. */
export interface LogSearch {
  span?: LogSpan | undefined;
  /** Inclusive and exclusive moments as ISO text, in place of a span. */
  from?: string | undefined;
  to?: string | undefined;
  model?: string | undefined;
  token?: string | undefined;
  user?: string | undefined;
  tenant?: string | undefined;
  channel?: string | undefined;
  outcome?: (typeof outcomes)[number] | undefined;
  /** Newer logs appear by themselves. */
  live?: true | undefined;
  /** The log whose receipt is open. */
  log?: string | undefined;
}

const moment = (value: unknown) => {
  const found = text(value, 40);
  return found && !Number.isNaN(Date.parse(found)) ? found : undefined;
};

/** Reads a query string; what it does not know is left out. */
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

/** The filters alone, without what is open or running. */
export function filtersOf({ live: _live, log: _log, ...filters }: LogSearch) {
  return filters;
}

export type LogFilters = ReturnType<typeof filtersOf>;

/** Whether anything is filtered. */
export const isFiltered = (filters: LogFilters) => Object.values(filters).some((value) => value !== undefined);

/** Where the filters' time begins and ends, at `now`. */
export function timeOf({ span, from, to }: LogFilters, now: number): { from?: string; to?: string } {
  if (span) return { from: new Date(now - minutes[span] * 60_000).toISOString() };
  return { ...(from && { from: new Date(from).toISOString() }), ...(to && { to: new Date(to).toISOString() }) };
}

/** The filters as the API takes them. */
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

/** The body that exports what the filters show. */
export function exportOf(filters: LogFilters, format: Schema<"UsageExport">["format"], now: number): Schema<"UsageExport"> {
  return { format, ...logQuery(filters, now) };
}
