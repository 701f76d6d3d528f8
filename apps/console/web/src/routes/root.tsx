import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, lazyRouteComponent, Outlet, redirect } from "@tanstack/react-router";

import { hasStatus } from "@/api/problem";
import { sessionQuery } from "@/api/query";


export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

/** Everything behind the sign-in. Who is not signed in is asked to, and comes back to where he wanted to go. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  component: lazyRouteComponent(() => import("@/shell/Shell"), "Shell"),
  beforeLoad: async ({ context, location }) => {
    try {
      return { identity: await context.queryClient.ensureQueryData(sessionQuery) };
    } catch (error) {
      if (hasStatus(error, 401)) throw redirect({ to: "/sign-in", search: { to: location.href === "/" ? undefined : location.href } });
      throw error;
    }
  },
});

/** The pages of operators alone; everybody else is led to his overview. */
export const operatorsRoute = {
  getParentRoute: () => signedInRoute,
  beforeLoad: async ({ context }: { context: { queryClient: QueryClient } }) => {
    const identity = await context.queryClient.ensureQueryData(sessionQuery);
    if (identity.user.role !== "operator") throw redirect({ to: "/" });
  },
};

/** What of a query string is a text, cut to what the API takes. */
export const text = (value: unknown, most = 200): string | undefined => (typeof value === "string" && value !== "" ? value.slice(0, most) : undefined);

/** What of a query string is one of the words. */
export const oneOf = <Word extends string>(value: unknown, words: readonly Word[]): Word | undefined => words.find((word) => word === value);
