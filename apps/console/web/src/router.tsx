import { t } from "@lingui/core/macro";
import { createRouter } from "@tanstack/react-router";

import { queryClient } from "./api/query";
import { ErrorState, LoadingState } from "./components/states";
import { NotFound } from "./pages/NotFound";
import { operatorRoutes } from "./routes/operator";
import { organizationRoutes } from "./routes/organization";
import { publicRoutes } from "./routes/public";
import { rootRoute, signedInRoute } from "./routes/root";
import { tenantRoutes } from "./routes/tenant";

// The code of each page is loaded when its route is first opened, or when the pointer is over a link to it.
const routeTree = rootRoute.addChildren({
  ...publicRoutes,
  signedIn: signedInRoute.addChildren({ ...tenantRoutes, ...organizationRoutes, ...operatorRoutes }),
});

export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPendingComponent: LoadingState,
  defaultErrorComponent: ({ error, reset }) => (
    <ErrorState error={error} retry={reset} title={t`Couldn't show this page`} />
  ),
  defaultNotFoundComponent: NotFound,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
