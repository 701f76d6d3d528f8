import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { roleName } from "@/components/roles";

export type UserRole = Schema<"User">["role"];

interface UserValues {
  email: string;
  role: UserRole;
  tenant_id: string;
  group_id: string;
}

const tenantRoles = (): { value: UserRole; label: string }[] =>
  (["owner", "admin", "member"] as const).map((role) => ({ value: role, label: roleName(role) }));

/** Returns the roles that may be assigned. The role operator is included if no tenant is fixed. */
export const userRoles = (anywhere: boolean) =>
  anywhere ? [...tenantRoles(), { value: "operator", label: t`Operator: runs the platform` }] : tenantRoles();

/**
 * Validates the address, tenant and group of a user. Operators have no tenant and no group. Each validator returns null
 * for a valid value.
 */
export const userFaults = {
  email: (email: string) => (/^\S+@\S+$/.test(email.trim()) ? null : t`Enter an email address.`),
  tenant_id: (id: string, { role }: UserValues) => (id || role === "operator" ? null : t`Choose a tenant.`),
  group_id: (id: string, { role }: UserValues) => (id || role === "operator" ? null : t`Choose a group.`),
};
