import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { auditSearch } from "@/components/audit/filters";
import { peopleSearch } from "@/components/members/search";
import { withMessages } from "@/locale/messages";

import { signedInRoute, text } from "./root";

/** The pages of a tenant's quota and members, the account pages of all users, and the page for all other addresses. */
export const organizationRoutes = {
  quota: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/quota",
    component: lazyRouteComponent(
      withMessages("quota", () => import("@/pages/quota/Quota")),
      "Quota",
    ),
  }),
  statement: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/quota/statement",
    validateSearch: (search: Record<string, unknown>): { month?: string | undefined } => ({
      month: text(search["month"], 7),
    }),
    component: lazyRouteComponent(
      withMessages("quota", () => import("@/pages/quota/StatementPage")),
      "StatementPage",
    ),
  }),
  alerts: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/alerts",
    component: lazyRouteComponent(
      withMessages("alerts", () => import("@/pages/alerts/Alerts")),
      "Alerts",
    ),
  }),
  members: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/members",
    validateSearch: peopleSearch,
    component: lazyRouteComponent(
      withMessages("members", () => import("@/pages/members/Members")),
      "Members",
    ),
  }),
  member: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/members/$id",
    component: lazyRouteComponent(
      withMessages("members", () => import("@/pages/members/MemberPage")),
      "MemberPage",
    ),
  }),
  tenantAuditLog: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/audit-log",
    validateSearch: auditSearch,
    component: lazyRouteComponent(
      withMessages("audit-log", () => import("@/pages/audit-log/AuditLog")),
      "AuditLog",
    ),
  }),
  playground: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/playground",
    validateSearch: (search: Record<string, unknown>): { model?: string | undefined } => ({
      model: text(search["model"]),
    }),
    component: lazyRouteComponent(
      withMessages("playground", () => import("@/pages/playground/Playground")),
      "Playground",
    ),
  }),
  settings: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/settings",
    component: lazyRouteComponent(
      withMessages("settings", () => import("@/pages/settings/Profile")),
      "Profile",
    ),
  }),
  security: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/settings/security",
    component: lazyRouteComponent(
      withMessages("settings", () => import("@/pages/settings/Security")),
      "Security",
    ),
  }),
  sessions: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/settings/sessions",
    component: lazyRouteComponent(
      withMessages("settings", () => import("@/pages/settings/Sessions")),
      "Sessions",
    ),
  }),
  accessKeys: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/settings/access-keys",
    component: lazyRouteComponent(
      withMessages("settings", () => import("@/pages/settings/AccessKeys")),
      "AccessKeys",
    ),
  }),
  unknown: createRoute({
    getParentRoute: () => signedInRoute,
    path: "$",
    component: lazyRouteComponent(
      withMessages("start", () => import("@/pages/NotFound")),
      "NotFound",
    ),
  }),
};
