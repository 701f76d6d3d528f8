import type { Schema } from "@/api/client";
import { limitsPatch, limitValues, type LimitValues, noLimits } from "@/components/limits/limits";
import { roleName } from "@/components/roles";

type User = Schema<"User">;
export type TenantRole = "owner" | "admin" | "member";

/** The values of the form of a tenant's user. */
export interface MemberValues extends LimitValues {
  role: TenantRole;
}

export const emptyMember: MemberValues = { role: "member", ...noLimits };

/** Returns the form values of an existing user. */
export const valuesOf = (user: User): MemberValues => ({
  role: user.role === "operator" ? "owner" : user.role,
  ...limitValues(user),
});

/** Returns the body of a PATCH request with the values that changed. */
export const patchOf = (before: MemberValues, values: MemberValues): Schema<"MemberPatch"> => ({
  ...(before.role !== values.role && { role: values.role }),
  ...limitsPatch(before, values),
});

/** Returns the roles that a user of the role `own` may assign, the least powerful role first. */
export function rolesFor(own: string): { value: TenantRole; label: string }[] {
  const roles: { value: TenantRole; label: string }[] = [
    { value: "member", label: roleName("member") },
    { value: "admin", label: roleName("admin") },
  ];
  return own === "owner" ? [...roles, { value: "owner", label: roleName("owner") }] : roles;
}
