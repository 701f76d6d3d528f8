import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import type { ReactNode } from "react";

import { renderIn } from "./testing";

/**
 * Renders a page of signed-in users, which has the path, at an address such as "/members/m", and returns the history of
 * the browser.
 */
export function renderPage(page: () => ReactNode, path: string, address = path) {
  const root = createRootRoute();
  const signedIn = createRoute({ getParentRoute: () => root, id: "signed-in" });
  const shown = createRoute({ getParentRoute: () => signedIn, path, component: page });
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree: root.addChildren([signedIn.addChildren([shown])]), history });
  renderIn(<RouterProvider router={router as never} />);
  return history;
}
