import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { withMessages } from "@/locale/messages";
import { overviewSearch } from "@/pages/overview/search";
import { tokenSearch } from "@/pages/tokens/search";
import { logSearch } from "@/pages/usage-logs/filters";

import { searched, signedInRoute } from "./root";

/** The pages of tenants' users. Operators see some of them for all tenants. */
export const tenantRoutes = {
  overview: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/",
    validateSearch: overviewSearch,
    component: lazyRouteComponent(
      withMessages("overview", () => import("@/pages/overview/Overview")),
      "Overview",
    ),
  }),
  tokens: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/tokens",
    validateSearch: tokenSearch,
    component: lazyRouteComponent(
      withMessages("tokens", () => import("@/pages/tokens/Tokens")),
      "Tokens",
    ),
  }),
  token: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/tokens/$id",
    component: lazyRouteComponent(
      withMessages("tokens", () => import("@/pages/tokens/TokenDetail")),
      "TokenDetail",
    ),
  }),
  usageLogs: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/usage-logs",
    validateSearch: logSearch,
    component: lazyRouteComponent(
      withMessages("usage-logs", () => import("@/pages/usage-logs/UsageLogs")),
      "UsageLogs",
    ),
  }),
  models: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/models",
    validateSearch: searched,
    component: lazyRouteComponent(
      withMessages("models", () => import("@/pages/models/Models")),
      "Models",
    ),
  }),
  model: createRoute({
    getParentRoute: () => signedInRoute,
    path: "/models/$id",
    component: lazyRouteComponent(
      withMessages("models", () => import("@/pages/models/ModelPage")),
      "ModelPage",
    ),
  }),
};
