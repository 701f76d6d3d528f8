import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import type { Role } from "@/api/session";
import { amountFault } from "@/components/form";

export type Scope = Schema<"AccessKey">["scopes"][number];
type NewAccessKey = Schema<"NewAccessKey">;

/** The values of the form that creates an access key. */
export interface AccessKeyValues {
  name: string;
  scopes: Scope[];
  /** An amount of USD; used only with the scope billing:write. */
  limit: string;
  addresses: string[];
  /** Days until the key expires. */
  days: string;
}

/** The form values of a new key: it may only read usage. */
export const blank: AccessKeyValues = { name: "", scopes: ["usage:read"], limit: "", addresses: [], days: "90" };

interface Choice {
  value: Scope;
  label: MessageDescriptor;
  roles: Role[];
}

const everyone: Role[] = ["member", "admin", "owner", "operator"];
const admins: Role[] = ["admin", "owner", "operator"];
const operators: Role[] = ["operator"];

/** All scopes, with what they permit and the roles whose keys may have them. */
const choices: Choice[] = [
  { value: "usage:read", label: msg`Read usage logs, summaries, quota and ledgers`, roles: everyone },
  { value: "tokens:read", label: msg`Read tokens, without their values`, roles: everyone },
  { value: "tokens:write", label: msg`Create, change and revoke tokens`, roles: everyone },
  { value: "members:read", label: msg`Read users and invitations`, roles: admins },
  { value: "catalog:read", label: msg`Read models and prices`, roles: everyone },
  { value: "catalog:write", label: msg`Change models and prices, create groups`, roles: operators },
  {
    value: "channels:write",
    label: msg`Change and test channels, except their base URLs and credentials`,
    roles: operators,
  },
  { value: "tenants:read", label: msg`Read tenants and the health of the platform`, roles: operators },
  { value: "tenants:write", label: msg`Create and change tenants`, roles: operators },
  { value: "billing:write", label: msg`Grant, adjust and transfer quota, up to a daily limit`, roles: operators },
  { value: "audit:read", label: msg`Read the audit log and the list of access keys`, roles: admins },
];

/** Returns the scopes that a user of the role may give a key. */
export const scopesFor = (role: Role) =>
  choices.filter(({ roles }) => roles.includes(role)).map(({ value, label }) => ({ value, label: i18n._(label) }));

/** Reports whether the values have a scope that needs a limit. */
export const needsLimit = ({ scopes }: Pick<AccessKeyValues, "scopes">) => scopes.includes("billing:write");

/** Validates the fields before the API is called. */
export const rules = {
  name: (name: string) => (name.trim() ? null : t`Enter a name.`),
  scopes: (scopes: Scope[]) => (scopes.length > 0 ? null : t`Choose at least one scope.`),
  limit: (limit: string, values: AccessKeyValues) => (needsLimit(values) ? amountFault(limit, true) : null),
};

/** Maps fields of the API to fields of the form. */
export const fieldNames = { grant_limit: "limit", expires_at: "days" };

/** Returns the request body that creates the key at the time `now`, in milliseconds. */
export function newAccessKey(values: AccessKeyValues, now: number): NewAccessKey {
  return {
    name: values.name.trim(),
    scopes: values.scopes,
    addresses: values.addresses,
    ...(needsLimit(values) && { grant_limit: values.limit.trim() }),
    expires_at: new Date(now + Number(values.days) * 86_400_000).toISOString(),
  };
}
