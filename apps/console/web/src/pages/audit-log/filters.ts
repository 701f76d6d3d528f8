import { type LogFilters, logSearch, timeOf } from "@/pages/usage-logs/filters";
import { text } from "@/routes/root";

/** The filters of the tenant's audit log as they are in the URL. */
export interface AuditFilters extends Pick<LogFilters, "span" | "from" | "to"> {
  actor?: string | undefined;
  action?: string | undefined;
  address?: string | undefined;
}

/** Parses the filters from a query string. Unknown values are dropped. */
export const auditSearch = (search: Record<string, unknown>): AuditFilters => {
  const { span, from, to } = logSearch(search);
  return { span, from, to, actor: text(search["actor"], 254), action: text(search["action"], 100), address: text(search["address"], 50) };
};

/** Returns the filters as the API's parameters, with a span counted back from `now`. */
export function auditQuery({ span, from, to, ...filters }: AuditFilters, now: number) {
  return { ...filters, ...timeOf({ span, from, to }, now) };
}
