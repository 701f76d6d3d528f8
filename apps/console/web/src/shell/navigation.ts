import {
  IconActivityHeartbeat,
  IconBuilding,
  IconChartBar,
  IconCoins,
  IconCpu,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconMessage,
  IconRoute,
  IconSettings,
  IconTableImport,
  type TablerIcon,
  IconUsers,
  IconUsersGroup,
  IconWallet,
} from "@tabler/icons-react";

import type { Role } from "@/api/session";

/** A link in the navigation. */
export interface Destination {
  to: string;
  label: string;
  icon: TablerIcon;
}

/** A group of links in the navigation. The first group has no label. */
export interface Section {
  label: string | undefined;
  links: Destination[];
}

const settings: Destination = { to: "/settings", label: "Settings", icon: IconSettings };

const tenantSections = (admin: boolean): Section[] => [
  {
    label: undefined,
    links: [
      { to: "/", label: "Overview", icon: IconLayoutDashboard },
      { to: "/playground", label: "Playground", icon: IconMessage },
    ],
  },
  {
    label: "Build",
    links: [
      { to: "/tokens", label: "Tokens", icon: IconKey },
      { to: "/usage-logs", label: "Usage logs", icon: IconListDetails },
      { to: "/models", label: "Models & prices", icon: IconCpu },
    ],
  },
  {
    label: "Organisation",
    links: [
      { to: "/quota", label: admin ? "Quota & ledger" : "Quota", icon: IconWallet },
      ...(admin ? [{ to: "/members", label: "Members", icon: IconUsers }, { to: "/audit-log", label: "Audit log", icon: IconHistory }] : []),
      settings,
    ],
  },
];

const operatorSections: Section[] = [
  {
    label: undefined,
    links: [
      { to: "/", label: "Overview", icon: IconChartBar },
      { to: "/usage-logs", label: "Usage logs", icon: IconListDetails },
      { to: "/tokens", label: "Tokens", icon: IconKey },
    ],
  },
  {
    label: "Customers",
    links: [
      { to: "/operator/tenants", label: "Tenants", icon: IconBuilding },
      { to: "/operator/users", label: "Users", icon: IconUsers },
      { to: "/operator/groups", label: "Groups", icon: IconUsersGroup },
      { to: "/operator/grants", label: "Grants", icon: IconCoins },
    ],
  },
  {
    label: "Catalog",
    links: [
      { to: "/operator/channels", label: "Channels", icon: IconRoute },
      { to: "/operator/models", label: "Models & prices", icon: IconCpu },
      { to: "/operator/import", label: "Import", icon: IconTableImport },
    ],
  },
  {
    label: "Platform",
    links: [
      { to: "/operator/system", label: "System", icon: IconActivityHeartbeat },
      { to: "/operator/audit-log", label: "Audit log", icon: IconHistory },
      settings,
    ],
  },
];

/** Returns the sections of the navigation for a role, in order. */
export function sectionsOf(role: Role): Section[] {
  return role === "operator" ? operatorSections : tenantSections(role !== "member");
}
