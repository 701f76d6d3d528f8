// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { Problem } from "@/api/problem";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";
import { groupsQuery } from "@/pages/operator/catalog/queries";

import { GroupName, GroupSelect } from "./groups";

beforeEach(() => queryClient.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("shows the name of a group as the pages of groups read it", () => {
  queryClient.setQueryData(groupsQuery.queryKey, { items: [{ id: "g", name: "staff" }] } as never);
  renderIn(<GroupName id="g" />);
  expect(screen.getByText("staff")).toBeTruthy();
});

it("shows at the field why the groups could not be read", async () => {
  vi.spyOn(api, "GET").mockRejectedValue(new Problem(403, { detail: "Not allowed." }));
  renderIn(<GroupSelect />);
  expect(await screen.findByText("Not allowed.")).toBeTruthy();
});
