import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { auditSearch } from "@/pages/operator/audit/filters";
import type { ChannelFilter } from "@/pages/operator/channels/tiers";
import type { ModelFilter } from "@/pages/operator/models/models";
import { routingSearch } from "@/pages/operator/routing/question";

import { oneOf, operatorsRoute, text } from "./root";

const statuses = ["enabled", "disabled"] as const;

const searched = (search: Record<string, unknown>): { search?: string | undefined } => ({ search: text(search["search"]) });

/** The pages of operators. */
export const operatorRoutes = {
  tenants: createRoute({
    ...operatorsRoute,
    path: "/operator/tenants",
    validateSearch: searched,
    component: lazyRouteComponent(() => import("@/pages/operator/tenants/Tenants"), "Tenants"),
  }),
  tenant: createRoute({
    ...operatorsRoute,
    path: "/operator/tenants/$id",
    validateSearch: (search: Record<string, unknown>): { tab?: "ledger" | "sign-on" | undefined } => ({ tab: oneOf(search["tab"], ["ledger", "sign-on"]) }),
    component: lazyRouteComponent(() => import("@/pages/operator/tenants/TenantDetail"), "TenantDetail"),
  }),
  users: createRoute({
    ...operatorsRoute,
    path: "/operator/users",
    validateSearch: searched,
    component: lazyRouteComponent(() => import("@/pages/operator/users/Users"), "Users"),
  }),
  grants: createRoute({
    ...operatorsRoute,
    path: "/operator/grants",
    validateSearch: (search: Record<string, unknown>): { tenant_id?: string | undefined } => ({ tenant_id: text(search["tenant_id"], 36) }),
    component: lazyRouteComponent(() => import("@/pages/operator/grants/Grants"), "Grants"),
  }),
  auditLog: createRoute({
    ...operatorsRoute,
    path: "/operator/audit-log",
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import("@/pages/operator/audit/AuditLog"), "AuditLog"),
  }),
  channels: createRoute({
    ...operatorsRoute,
    path: "/operator/channels",
    validateSearch: (search: Record<string, unknown>): ChannelFilter => ({
      search: text(search["search"]),
      model: text(search["model"]),
      type: text(search["type"], 40),
      status: oneOf(search["status"], statuses),
    }),
    component: lazyRouteComponent(() => import("@/pages/operator/channels/Channels"), "Channels"),
  }),
  routing: createRoute({ ...operatorsRoute, path: "/operator/routing", validateSearch: routingSearch, component: lazyRouteComponent(() => import("@/pages/operator/routing/Routing"), "Routing") }),
  channel: createRoute({ ...operatorsRoute, path: "/operator/channels/$id", component: lazyRouteComponent(() => import("@/pages/operator/channels/ChannelPage"), "ChannelPage") }),
  operatorModels: createRoute({
    ...operatorsRoute,
    path: "/operator/models",
    validateSearch: (search: Record<string, unknown>): ModelFilter => ({ search: text(search["search"]), status: oneOf(search["status"], [...statuses, "attention"] as const) }),
    component: lazyRouteComponent(() => import("@/pages/operator/models/OperatorModels"), "OperatorModels"),
  }),
  operatorModel: createRoute({ ...operatorsRoute, path: "/operator/models/$id", component: lazyRouteComponent(() => import("@/pages/operator/models/ModelPage"), "ModelPage") }),
  groups: createRoute({
    ...operatorsRoute,
    path: "/operator/groups",
    validateSearch: searched,
    component: lazyRouteComponent(() => import("@/pages/operator/groups/OperatorGroups"), "OperatorGroups"),
  }),
  group: createRoute({ ...operatorsRoute, path: "/operator/groups/$id", component: lazyRouteComponent(() => import("@/pages/operator/groups/GroupPage"), "GroupPage") }),
  import: createRoute({ ...operatorsRoute, path: "/operator/import", component: lazyRouteComponent(() => import("@/pages/operator/import/Import"), "Import") }),
  system: createRoute({ ...operatorsRoute, path: "/operator/system", component: lazyRouteComponent(() => import("@/pages/operator/system/System"), "System") }),
};
