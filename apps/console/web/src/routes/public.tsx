import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute, text } from "./root";

/**
 * The pages that need no session. The secrets of links are in the fragment of the address, which browsers do not send
 * to servers.
 */
export const publicRoutes = {
  signIn: createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-in",
    validateSearch: (search: Record<string, unknown>): { to?: string | undefined; error?: string | undefined; tenant?: string | undefined } => ({
      to: text(search["to"], 2000),
      error: text(search["error"], 60),
      tenant: text(search["tenant"], 63),
    }),
    component: lazyRouteComponent(() => import("@/pages/sign-in/SignIn"), "SignIn"),
  }),
  confirmed: createRoute({
    getParentRoute: () => rootRoute,
    path: "/confirmed",
    validateSearch: (search: Record<string, unknown>): { error?: string | undefined } => ({ error: text(search["error"], 60) }),
    component: lazyRouteComponent(() => import("@/pages/sign-in/Confirmed"), "Confirmed"),
  }),
  passwordReset: createRoute({
    getParentRoute: () => rootRoute,
    path: "/password-reset",
    component: lazyRouteComponent(() => import("@/pages/sign-in/PasswordReset"), "PasswordReset"),
  }),
  invitation: createRoute({
    getParentRoute: () => rootRoute,
    path: "/invitation",
    component: lazyRouteComponent(() => import("@/pages/sign-in/Invitation"), "Invitation"),
  }),
};
