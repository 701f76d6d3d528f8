import type { Schema } from "@/api/client";
import { limitsPatch, limitValues, type LimitValues, noLimits } from "@/components/limits/limits";

type User = Schema<"User">;
export type TenantRole = "owner" | "admin" | "member";

/** What the fields of a tenant's user hold. */
export interface MemberValues extends LimitValues {
  role: TenantRole;
}

export const emptyMember: MemberValues = { role: "member", ...noLimits };

/** The fields of somebody who is there. */
export const valuesOf = (user: User): MemberValues => ({ role: user.role === "operator" ? "owner" : user.role, ...limitValues(user) });

/** The body that makes `values` of the user: what did not change is left out. */
export const patchOf = (before: MemberValues, values: MemberValues): Schema<"MemberPatch"> => ({
  ...(before.role !== values.role && { role: values.role }),
  ...limitsPatch(before, values),
});

/** The roles that somebody of `own` role may give, the least of them first. */
export function rolesFor(own: string): { value: TenantRole; label: string }[] {
  const roles: { value: TenantRole; label: string }[] = [
    { value: "member", label: "Member" },
    { value: "admin", label: "Admin" },
  ];
  return own === "owner" ? [...roles, { value: "owner", label: "Owner" }] : roles;
}
