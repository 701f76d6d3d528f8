// @vitest-environment happy-dom
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";
import { losesUnsaved } from "@/components/unsaved";
import { Dialogs } from "@/shell/Dialogs";
import { Leaving } from "@/shell/Leaving";

import { Import } from "./Import";

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
        <Dialogs />
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

it.each([
  ["a manifest is saved when it is applied", true],
  ["a manifest is unsaved when it could not be applied", false],
])("%s", async (_, succeeds) => {
  let job: object = preview;
  vi.spyOn(api, "GET").mockImplementation(((path: string) =>
    Promise.resolve({
      data: path === "/api/jobs" ? { items: [], more: false } : job,
      response: new Response(),
    })) as never);
  vi.spyOn(api, "POST").mockImplementation(((_: string, { body: { apply } }: { body: { apply: boolean } }) => {
    const result = { applied: apply, changes: 1, tokens: 0, deeds: [], warnings: [], faults: [] };
    const outcome =
      apply && !succeeds
        ? { status: "failed", result: undefined, error: { message: "The database is unavailable." } }
        : { status: "finished", result: { catalogue_import: result } };
    job = { ...preview, id: String(apply), parameters: { catalogue_import: { apply, bytes: 10 } }, ...outcome };
    return Promise.resolve({ data: job, response: new Response() });
  }) as never);
  const lists = [["operator", "groups"], ["tenants"], ["users"], ["names", "tenants"], ["choice", "tenants", "t"]];
  for (const list of lists) queryClient.setQueryData(list, null);
  show();
  fireEvent.change(await screen.findByLabelText("Manifest"), { target: { value: "models: []" } });
  await userEvent.click(screen.getByRole("button", { name: "Preview" }));
  await userEvent.click(await screen.findByRole("button", { name: "Apply" }));
  await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Apply" }));
  expect(await screen.findByText(succeeds ? /^Applied/ : "The database is unavailable.")).toBeTruthy();
  expect(losesUnsaved("PUSH")).toBe(!succeeds);
  // A change is read again in all lists.
  for (const list of lists) expect(queryClient.getQueryState(list)?.isInvalidated, String(list)).toBe(true);
});

it("says that one page of the jobs has no imports", async () => {
  vi.spyOn(api, "GET").mockResolvedValue({
    data: { items: [{ ...preview, kind: "usage_export" }], next: "older" },
    response: new Response(),
  } as never);
  show();
  await screen.findByText("No imports on this page");
  expect(screen.queryByText("No imports yet")).toBeNull();
});

it("reads a file again that was changed and chosen again", async () => {
  show();
  const manifest = await screen.findByLabelText("Manifest");
  const input = document.querySelector("input[type=file]") as HTMLInputElement;
  const file = new File(["models: []"], "manifest.yaml", { type: "application/yaml" });
  await userEvent.upload(input, file);
  await waitFor(() => expect(manifest).toHaveProperty("value", "models: []"));
  fireEvent.change(manifest, { target: { value: "groups: []" } });
  await userEvent.upload(input, file);
  await waitFor(() => expect(manifest).toHaveProperty("value", "models: []"));
});
