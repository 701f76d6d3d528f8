import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";

import { renderIn } from "./testing";

/** Lets all reads of the API wait in the tests of a file, so that pages show what the tests put into the query cache. */
export function stallReads() {
  beforeEach(() => {
    queryClient.clear();
    vi.spyOn(api, "GET").mockReturnValue(new Promise(() => {}) as never);
  });
  afterEach(() => {
    cleanup();
    vi.restoreAllMocks();
  });
}

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
