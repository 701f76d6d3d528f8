import { text } from "@/routes/root";

/** The filters of the audit log as they are in the URL. */
export interface AuditFilters {
  tenant_id?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
}

/** Parses the filters from a query string. */
export const auditSearch = (search: Record<string, unknown>): AuditFilters => ({
  tenant_id: text(search["tenant_id"], 36),
  actor: text(search["actor"], 254),
  action: text(search["action"], 100),
  target: text(search["target"]),
});

/** The kinds of objects in the audit log. The name of an action is the kind, a dot and the change. */
export const auditKinds = [
  "access_key", "channel", "group", "identity", "invitation", "job", "model", "passkey", "password_reset", "price", "quota",
  "recovery_code", "recovery_codes", "rule", "session", "tenant", "token", "totp", "user",
].map((kind) => ({ value: kind, label: kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("_", " ") }));
