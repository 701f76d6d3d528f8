import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Role } from "@/api/session";

const names: Record<Role, MessageDescriptor> = {
  owner: msg`Owner`,
  admin: msg`Admin`,
  member: msg`Member`,
  operator: msg`Operator`,
};

/** Returns the name of a role. */
export const roleName = (role: Role): string => i18n._(names[role]);
