import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { auditSearch } from "@/pages/audit-log/filters";

import { signedInRoute, text } from "./root";

/** The pages of a tenant's quota and members, and the account pages of all users. */
export const organisationRoutes = {
  quota: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/quota",
    component: lazyRouteComponent(() => import("@/pages/quota/Quota"), "Quota"),
  }),
  members: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/members",
    validateSearch: (search: Record<string, unknown>): { search?: string | undefined } => ({ search: text(search["search"]) }),
    component: lazyRouteComponent(() => import("@/pages/members/Members"), "Members"),
  }),
  tenantAuditLog: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/audit-log",
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import("@/pages/audit-log/AuditLog"), "AuditLog"),
  }),
  playground: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/playground",
    component: lazyRouteComponent(() => import("@/pages/playground/Playground"), "Playground"),
  }),
  settings: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/settings",
    component: lazyRouteComponent(() => import("@/pages/settings/Profile"), "Profile"),
  }),
  security: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/settings/security",
    component: lazyRouteComponent(() => import("@/pages/settings/Security"), "Security"),
  }),
  sessions: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/settings/sessions",
    component: lazyRouteComponent(() => import("@/pages/settings/Sessions"), "Sessions"),
  }),
  accessKeys: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/settings/access-keys",
    component: lazyRouteComponent(() => import("@/pages/settings/AccessKeys"), "AccessKeys"),
  }),
};
