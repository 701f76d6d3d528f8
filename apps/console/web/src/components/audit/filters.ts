import type { OrderSearch } from "@/components/table/orderSearch";
import { type LogFilters, logSearch, logSorts, timeOf } from "@/pages/usage-logs/filters";
import { text } from "@/routes/root";

/** What the API sorts an audit log by, by the ids of the columns. */
export const auditSorts = logSorts;

/** The filters and the order of an audit log as they are in the URL. */
export interface AuditFilters extends Pick<LogFilters, "span" | "from" | "to">, OrderSearch<"created_at"> {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  address?: string | undefined;
}

/** Parses the filters from a query string. Unknown values are dropped. */
export const auditSearch = (search: Record<string, unknown>): AuditFilters => {
  const { span, from, to, sort, order } = logSearch(search);
  return {
    span,
    from,
    to,
    sort,
    order,
    actor: text(search["actor"], 254),
    action: text(search["action"], 100),
    target: text(search["target"], 200),
    address: text(search["address"], 50),
  };
};

/** Returns the filters without the order as the API's parameters, with a span counted back from `now`. */
export function auditQuery<Filters extends AuditFilters>(
  { span, from, to, sort: _sort, order: _order, ...filters }: Filters,
  now: number,
) {
  return { ...filters, ...timeOf({ span, from, to } as LogFilters, now) };
}

/** Reports whether any filter is set. */
export const isFiltered = ({ sort: _sort, order: _order, ...filters }: AuditFilters) =>
  Object.values(filters).some((value) => value !== undefined);
