const kinds = {
  tenant: ["access_key", "identity", "invitation", "job", "passkey", "password_reset", "quota", "recovery_code", "recovery_codes", "session", "tenant", "token", "totp", "user"],
  platform: ["channel", "group", "model", "price", "rule"],
};

const events = [
  { value: "session.create", label: "Sign-ins" },
  { value: "session.refused", label: "Refused sign-ins" },
  { value: "session.confirm", label: "Confirmations" },
  { value: "request.refused", label: "Refused requests" },
  { value: "tenant.read", label: "Reads by operators" },
  { value: "access_key.use", label: "First uses of access keys" },
  { value: "audit_log", label: "Gaps in this log" },
];

const named = (kind: string) => ({ value: kind, label: kind.charAt(0).toUpperCase() + kind.slice(1).replaceAll("_", " ") });

/** Returns the choices of the filter by action: events, and everything that happened to objects of a kind. */
export const actionChoices = (of: keyof typeof kinds) => [
  { group: "Events", items: events },
  { group: "Everything about", items: [...kinds.tenant, ...(of === "platform" ? kinds.platform : [])].toSorted().map(named) },
];
