import type { Schema } from "@/api/client";

export type UserRole = Schema<"User">["role"];

interface UserValues {
  email: string;
  role: UserRole;
  tenant_id: string;
  group_id: string;
}

const tenantRoles: { value: UserRole; label: string }[] = [
  { value: "owner", label: "Owner" },
  { value: "admin", label: "Admin" },
  { value: "member", label: "Member" },
];

/** Returns the roles that may be assigned. The role operator is included if no tenant is fixed. */
export const userRoles = (anywhere: boolean) => (anywhere ? [...tenantRoles, { value: "operator", label: "Operator: runs the platform" }] : tenantRoles);

/** Returns a validator for an id that every role but operator needs. */
const needed = (what: string) => (id: string, { role }: UserValues) => (id || role === "operator" ? null : `Choose a ${what}.`);

/** Validates the address, tenant and group of a user. Each validator returns null for a valid value. */
export const userFaults = {
  email: (email: string) => (/^\S+@\S+$/.test(email.trim()) ? null : "Enter an e-mail address."),
  tenant_id: needed("tenant"),
  group_id: needed("group"),
};
