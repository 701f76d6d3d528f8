// @vitest-environment happy-dom
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";
import { losesUnsaved } from "@/components/unsaved";
import { Leaving } from "@/shell/Leaving";

import { Import } from "./Import";

vi.setConfig({ testTimeout: 60_000 }); // a loaded machine is slow

const preview = {
  id: "j",
  kind: "catalogue_import",
  user_id: "o",
  status: "finished",
  created_at: "2026-01-01T00:00:00Z",
  parameters: { catalogue_import: { apply: false, bytes: 10 } },
  result: {
    catalogue_import: { applied: false, changes: 0, things: [], faults: [{ line: 0, key: "", text: "Not YAML." }] },
  },
};

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, {
    user: { id: "o", role: "operator" },
    expires_at: "2026-01-01T00:00:00Z",
  } as Identity);
  vi.spyOn(api, "GET").mockImplementation(((path: string) =>
    Promise.resolve({
      data: path === "/api/jobs" ? { items: [preview], more: false } : preview,
      response: new Response(),
    })) as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Shows the page within the routes that it reads its address from. */
function show() {
  const root = createRootRoute({
    component: () => (
      <>
        <Outlet />
        <Leaving />
      </>
    ),
  });
  const signedIn = createRoute({ getParentRoute: () => root, id: "signed-in" });
  const page = createRoute({ getParentRoute: () => signedIn, path: "/operator/import", component: Import });
  const router = createRouter({
    routeTree: root.addChildren([signedIn.addChildren([page])]),
    history: createMemoryHistory({ initialEntries: ["/operator/import"] }),
  });
  renderIn(<RouterProvider router={router as never} />);
}

it("asks before a manifest that was typed is dropped, but not before an earlier result is shown", async () => {
  show();
  const manifest = await screen.findByLabelText("Manifest");
  expect(losesUnsaved("PUSH")).toBe(false);
  fireEvent.change(manifest, { target: { value: "models: []" } });
  expect(losesUnsaved("PUSH")).toBe(true);
  await userEvent.click(await screen.findByRole("button", { name: "Result" }));
  expect(await screen.findByText("Not YAML.")).toBeDefined();
  expect(screen.queryByText("Leave without saving?")).toBeNull();
});
