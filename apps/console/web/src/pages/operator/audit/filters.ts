import { type AuditFilters, auditSearch } from "@/components/audit/filters";
import { text } from "@/routes/root";

/** The filters of the platform's audit log as they are in the URL. */
export interface PlatformFilters extends AuditFilters {
  tenant_id?: string | undefined;
}

/** Parses the filters from a query string. */
export const platformSearch = (search: Record<string, unknown>): PlatformFilters => ({
  ...auditSearch(search),
  tenant_id: text(search["tenant_id"], 36),
});
