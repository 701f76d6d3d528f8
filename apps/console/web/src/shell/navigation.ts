import { t } from "@lingui/core/macro";
import {
  IconActivityHeartbeat,
  IconBell,
  IconBook,
  IconBuilding,
  IconChartBar,
  IconCoins,
  IconCpu,
  IconHistory,
  IconKey,
  IconLayoutDashboard,
  IconListDetails,
  IconMessage,
  IconReceipt2,
  IconRoute,
  IconSettings,
  IconTableImport,
  IconTag,
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
  /** Loads a new document, for a page with another content security policy. */
  reload?: boolean;
}

/** A group of links in the navigation. The first group has no label. */
export interface Section {
  label: string | undefined;
  links: Destination[];
}

const reference = (): Destination => ({ to: "/reference", label: t`API reference`, icon: IconBook, reload: true });
const settings = (): Destination => ({ to: "/settings", label: t`Settings`, icon: IconSettings });

const tenantSections = (admin: boolean): Section[] => [
  {
    label: undefined,
    links: [
      { to: "/", label: t`Overview`, icon: IconLayoutDashboard },
      { to: "/playground", label: t`Playground`, icon: IconMessage },
    ],
  },
  {
    label: t`Build`,
    links: [
      { to: "/tokens", label: t`Tokens`, icon: IconKey },
      { to: "/usage-logs", label: t`Usage logs`, icon: IconListDetails },
      { to: "/models", label: t`Models & prices`, icon: IconCpu },
      reference(),
    ],
  },
  {
    label: t`Organization`,
    links: [
      { to: "/quota", label: admin ? t`Quota & ledger` : t`Quota`, icon: IconWallet },
      ...(admin
        ? [
            { to: "/alerts", label: t`Alerts`, icon: IconBell },
            { to: "/members", label: t`Members`, icon: IconUsers },
            { to: "/audit-log", label: t`Audit log`, icon: IconHistory },
          ]
        : []),
      settings(),
    ],
  },
];

const operatorSections = (): Section[] => [
  {
    label: undefined,
    links: [
      { to: "/", label: t`Overview`, icon: IconChartBar },
      { to: "/usage-logs", label: t`Usage logs`, icon: IconListDetails },
      { to: "/tokens", label: t`Tokens`, icon: IconKey },
    ],
  },
  {
    label: t`Customers`,
    links: [
      { to: "/operator/tenants", label: t`Tenants`, icon: IconBuilding },
      { to: "/operator/users", label: t`Users`, icon: IconUsers },
      { to: "/operator/groups", label: t`Groups`, icon: IconUsersGroup },
      { to: "/operator/grants", label: t`Grants`, icon: IconCoins },
    ],
  },
  {
    label: t`Catalog`,
    links: [
      { to: "/operator/channels", label: t`Channels`, icon: IconRoute },
      { to: "/operator/models", label: t`Models & prices`, icon: IconCpu },
      { to: "/operator/playground", label: t`Playground`, icon: IconMessage },
      { to: "/operator/price-catalog", label: t`Price catalog`, icon: IconTag },
      { to: "/operator/import", label: t`Import`, icon: IconTableImport },
    ],
  },
  {
    label: t`Platform`,
    links: [
      { to: "/operator/supplier-invoices", label: t`Supplier invoices`, icon: IconReceipt2 },
      { to: "/alerts", label: t`Alerts`, icon: IconBell },
      { to: "/operator/system", label: t`System`, icon: IconActivityHeartbeat },
      { to: "/operator/audit-log", label: t`Audit log`, icon: IconHistory },
      reference(),
      settings(),
    ],
  },
];

/** Returns the sections of the navigation for a role, in order. */
export function sectionsOf(role: Role): Section[] {
  return role === "operator" ? operatorSections() : tenantSections(role !== "member");
}
