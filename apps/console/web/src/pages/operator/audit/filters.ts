import { text } from "@/routes/root";

/** The filters of the audit log as they are in the URL. */
export interface AuditFilters {
  tenant_id?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
  address?: string | undefined;
}

/** Parses the filters from a query string. */
export const auditSearch = (search: Record<string, unknown>): AuditFilters => ({
  tenant_id: text(search["tenant_id"], 36),
  actor: text(search["actor"], 254),
  action: text(search["action"], 100),
  target: text(search["target"]),
  address: text(search["address"], 50),
});
