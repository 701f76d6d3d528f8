import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";

import { hasStatus } from "@/api/problem";
import { sessionQuery } from "@/api/query";
import { takeLanguage } from "@/api/session";
import { withMessages } from "@/locale/messages";
import { keepFragment } from "@/pages/sign-in/fragment";

/** The parent of all routes. */
export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

/**
 * The parent route of all pages that need a session. Without a session it redirects to the sign-in page, which
 * returns to the requested page.
 */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  component: lazyRouteComponent(
    withMessages("shell", () => import("@/shell/Shell")),
    "Shell",
  ),
  beforeLoad: async ({ context, location }) => {
    let identity;
    try {
      identity = await context.queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!hasStatus(error, 401)) throw error;
      keepFragment(location.pathname, location.hash);
      const page = `${location.pathname}${location.searchStr}`;
      throw redirect({ to: "/sign-in", reloadDocument: true, search: { to: page === "/" ? undefined : page } });
    }
    await takeLanguage(identity);
    // The server refuses all other pages' requests until the user has a second factor.
    if (identity.must_enrol && location.pathname !== "/settings/security") throw redirect({ to: "/settings/security" });
    return { identity };
  },
});

/** The options of routes for operators only. All other users are redirected to their overview. */
export const operatorsRoute = {
  getParentRoute: () => signedInRoute,
  beforeLoad: async ({ context }: { context: { queryClient: QueryClient } }) => {
    const identity = await context.queryClient.ensureQueryData(sessionQuery);
    if (identity.user.role !== "operator") throw redirect({ to: "/" });
  },
};

/** Returns a value of a query string if it is a non-empty text, cut to the API's maximum length. */
export const text = (value: unknown, most = 200): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, most) : undefined;

/** Parses the query string of a list with a search field. */
export const searched = (search: Record<string, unknown>): { search?: string | undefined } => ({
  search: text(search["search"]),
});

/** Returns a value of a query string if it is a moment, such as "2026-11-21T19:05:00Z". */
export const moment = (value: unknown) => {
  const found = text(value, 40);
  return found && !Number.isNaN(Date.parse(found)) ? found : undefined;
};

/** Returns a value of a query string if it is one of the words. */
export const oneOf = <Word extends string>(value: unknown, words: readonly Word[]): Word | undefined =>
  words.find((word) => word === value);
