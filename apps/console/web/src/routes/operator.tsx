import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { auditSearch } from "@/pages/operator/audit/filters";

import { oneOf, operatorsRoute, text } from "./root";

const searched = (search: Record<string, unknown>): { search?: string | undefined } => ({ search: text(search["search"]) });

/** The operators' pages of tenants, users and grants, and the audit log. */
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
    validateSearch: (search: Record<string, unknown>): { tab?: "ledger" | undefined } => ({ tab: oneOf(search["tab"], ["ledger"]) }),
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
};
