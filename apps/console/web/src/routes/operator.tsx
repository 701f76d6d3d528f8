import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { peopleSearch } from "@/components/members/search";
import { ranges, type Range } from "@/components/usage/range";
import { withMessages } from "@/locale/messages";
import { platformSearch } from "@/pages/operator/audit/filters";
import type { ChannelFilter } from "@/pages/operator/channels/tiers";
import type { ModelFilter } from "@/pages/operator/models/models";
import { routingSearch } from "@/pages/operator/routing/question";
import { tenantSearch } from "@/pages/operator/tenants/search";

import { oneOf, operatorsRoute, searched, text } from "./root";

const statuses = ["enabled", "disabled"] as const;

/** The pages of operators. */
export const operatorRoutes = {
  tenants: createRoute({
    ...operatorsRoute,
    path: "/operator/tenants",
    validateSearch: tenantSearch,
    component: lazyRouteComponent(
      withMessages("operator-tenants", () => import("@/pages/operator/tenants/Tenants")),
      "Tenants",
    ),
  }),
  tenant: createRoute({
    ...operatorsRoute,
    path: "/operator/tenants/$id",
    validateSearch: (
      search: Record<string, unknown>,
    ): { tab?: "usage" | "ledger" | "sign-on" | "attribution" | undefined } => ({
      tab: oneOf(search["tab"], ["usage", "ledger", "sign-on", "attribution"]),
    }),
    component: lazyRouteComponent(
      withMessages("operator-tenants", () => import("@/pages/operator/tenants/TenantDetail")),
      "TenantDetail",
    ),
  }),
  users: createRoute({
    ...operatorsRoute,
    path: "/operator/users",
    validateSearch: peopleSearch,
    component: lazyRouteComponent(
      withMessages("operator-users", () => import("@/pages/operator/users/Users")),
      "Users",
    ),
  }),
  grants: createRoute({
    ...operatorsRoute,
    path: "/operator/grants",
    validateSearch: (search: Record<string, unknown>): { tenant_id?: string | undefined } => ({
      tenant_id: text(search["tenant_id"], 36),
    }),
    component: lazyRouteComponent(
      withMessages("operator-grants", () => import("@/pages/operator/grants/Grants")),
      "Grants",
    ),
  }),
  auditLog: createRoute({
    ...operatorsRoute,
    path: "/operator/audit-log",
    validateSearch: platformSearch,
    component: lazyRouteComponent(
      withMessages("operator-audit", () => import("@/pages/operator/audit/AuditLog")),
      "AuditLog",
    ),
  }),
  channels: createRoute({
    ...operatorsRoute,
    path: "/operator/channels",
    validateSearch: (search: Record<string, unknown>): ChannelFilter => ({
      search: text(search["search"]),
      model: text(search["model"]),
      type: text(search["type"], 40),
      status: oneOf(search["status"], statuses),
      tag: text(search["tag"], 80),
    }),
    component: lazyRouteComponent(
      withMessages("operator-channels", () => import("@/pages/operator/channels/Channels")),
      "Channels",
    ),
  }),
  routing: createRoute({
    ...operatorsRoute,
    path: "/operator/routing",
    validateSearch: routingSearch,
    component: lazyRouteComponent(
      withMessages("operator-routing", () => import("@/pages/operator/routing/Routing")),
      "Routing",
    ),
  }),
  channel: createRoute({
    ...operatorsRoute,
    path: "/operator/channels/$id",
    validateSearch: (search: Record<string, unknown>): { range?: Range | undefined } => ({
      range: oneOf(search["range"], ranges),
    }),
    component: lazyRouteComponent(
      withMessages("operator-channels", () => import("@/pages/operator/channels/ChannelPage")),
      "ChannelPage",
    ),
  }),
  operatorModels: createRoute({
    ...operatorsRoute,
    path: "/operator/models",
    validateSearch: (search: Record<string, unknown>): ModelFilter => ({
      search: text(search["search"]),
      status: oneOf(search["status"], [...statuses, "attention"] as const),
    }),
    component: lazyRouteComponent(
      withMessages("operator-models", () => import("@/pages/operator/models/OperatorModels")),
      "OperatorModels",
    ),
  }),
  operatorModel: createRoute({
    ...operatorsRoute,
    path: "/operator/models/$id",
    component: lazyRouteComponent(
      withMessages("operator-models", () => import("@/pages/operator/models/ModelPage")),
      "ModelPage",
    ),
  }),
  operatorPlayground: createRoute({
    ...operatorsRoute,
    path: "/operator/playground",
    validateSearch: (
      search: Record<string, unknown>,
    ): { channel?: string | undefined; model?: string | undefined } => ({
      channel: text(search["channel"], 36),
      model: text(search["model"], 200),
    }),
    component: lazyRouteComponent(
      withMessages("operator-playground", () => import("@/pages/operator/playground/OperatorPlayground")),
      "OperatorPlayground",
    ),
  }),
  groups: createRoute({
    ...operatorsRoute,
    path: "/operator/groups",
    validateSearch: searched,
    component: lazyRouteComponent(
      withMessages("operator-groups", () => import("@/pages/operator/groups/OperatorGroups")),
      "OperatorGroups",
    ),
  }),
  group: createRoute({
    ...operatorsRoute,
    path: "/operator/groups/$id",
    component: lazyRouteComponent(
      withMessages("operator-groups", () => import("@/pages/operator/groups/GroupPage")),
      "GroupPage",
    ),
  }),
  priceCatalog: createRoute({
    ...operatorsRoute,
    path: "/operator/price-catalog",
    component: lazyRouteComponent(
      withMessages("operator-price-catalog", () => import("@/pages/operator/price-catalog/PriceCatalog")),
      "PriceCatalog",
    ),
  }),
  import: createRoute({
    ...operatorsRoute,
    path: "/operator/import",
    validateSearch: (search: Record<string, unknown>): { job?: string | undefined } => ({
      job: text(search["job"], 36),
    }),
    component: lazyRouteComponent(
      withMessages("operator-import", () => import("@/pages/operator/import/Import")),
      "Import",
    ),
  }),
  supplierInvoices: createRoute({
    ...operatorsRoute,
    path: "/operator/supplier-invoices",
    validateSearch: (search: Record<string, unknown>): { status?: "matches" | "differs" | "pending" | undefined } => ({
      status: oneOf(search["status"], ["matches", "differs", "pending"] as const),
    }),
    component: lazyRouteComponent(
      withMessages("operator-suppliers", () => import("@/pages/operator/suppliers/SupplierInvoices")),
      "SupplierInvoices",
    ),
  }),
  supplierAccount: createRoute({
    ...operatorsRoute,
    path: "/operator/supplier-invoices/$id",
    validateSearch: (search: Record<string, unknown>): { day?: string | undefined } => ({
      day: text(search["day"], 10),
    }),
    component: lazyRouteComponent(
      withMessages("operator-suppliers", () => import("@/pages/operator/suppliers/SupplierAccount")),
      "SupplierAccount",
    ),
  }),
  system: createRoute({
    ...operatorsRoute,
    path: "/operator/system",
    component: lazyRouteComponent(
      withMessages("operator-system", () => import("@/pages/operator/system/System")),
      "System",
    ),
  }),
};
