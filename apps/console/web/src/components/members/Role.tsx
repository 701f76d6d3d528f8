import { Badge } from "@mantine/core";

import type { Schema } from "@/api/client";
import { roleName } from "@/components/roles";

type Role = Schema<"User">["role"];

const colors: Record<Role, string> = { owner: "iris", admin: "blue", member: "gray", operator: "gray" };

/** Shows a role as a badge. */
export function Role({ role }: { role: Role }) {
  return <Badge color={colors[role]}>{roleName(role)}</Badge>;
}
