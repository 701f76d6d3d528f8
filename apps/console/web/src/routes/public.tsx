import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { withMessages } from "@/locale/messages";

import { rootRoute, text } from "./root";

/**
 * The pages that need no session. The secrets of links are in the fragment of the address, which browsers do not send
 * to servers.
 */
export const publicRoutes = {
  signIn: createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-in",
    validateSearch: (
      search: Record<string, unknown>,
    ): {
      to?: string | undefined;
      error?: string | undefined;
      claim?: string | undefined;
      tenant?: string | undefined;
    } => ({
      to: text(search["to"], 2000),
      error: text(search["error"], 60),
      claim: text(search["claim"], 40),
      tenant: text(search["tenant"], 63),
    }),
    // A document of its own, src/sign-in.tsx. Links to it set reloadDocument.
    component: () => null,
  }),
  confirmed: createRoute({
    getParentRoute: () => rootRoute,
    path: "/confirmed",
    validateSearch: (search: Record<string, unknown>): { error?: string | undefined; claim?: string | undefined } => ({
      error: text(search["error"], 60),
      claim: text(search["claim"], 40),
    }),
    component: lazyRouteComponent(
      withMessages("start", () => import("@/pages/sign-in/Confirmed")),
      "Confirmed",
    ),
  }),
  passwordReset: createRoute({
    getParentRoute: () => rootRoute,
    path: "/password-reset",
    component: lazyRouteComponent(
      withMessages("start", () => import("@/pages/sign-in/PasswordReset")),
      "PasswordReset",
    ),
  }),
  invitation: createRoute({
    getParentRoute: () => rootRoute,
    path: "/invitation",
    component: lazyRouteComponent(
      withMessages("start", () => import("@/pages/sign-in/Invitation")),
      "Invitation",
    ),
  }),
  reference: createRoute({
    getParentRoute: () => rootRoute,
    path: "/reference/{-$operation}",
    component: lazyRouteComponent(
      withMessages("reference", () => import("@/pages/reference/Reference")),
      "Reference",
    ),
  }),
};
