// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderPage } from "@/components/testingPages";
import { groupsQuery } from "@/pages/operator/catalog/queries";

import { GroupPage } from "./GroupPage";

const limits = { requests_per_minute: 0, tokens_per_minute: 0, concurrency: 0 };
const created_at = "2026-01-01T00:00:00Z";
const group = { id: "g", name: "staff", models: ["*"], status: "enabled", limits, created_at };
const rule = (model: string, multiplier: string, fixed: string | null) => ({
  id: `rule of ${model}`,
  group_id: "g",
  model,
  multiplier,
  fixed,
  effective_from: created_at,
  created_at,
  state: "current",
  withdrawn_at: null,
});
const rules = [rule("", "1", "0.01"), rule("cheap", "0.5", null), rule("drawing", "1", "0.25")];
const unpriced = { price: {}, effective: [], effective_tiers: [], effective_service_tiers: [] };
const visible = [
  { id: "cheap", owned_by: "acme", multiplier: "0.5", fixed: null, ...unpriced },
  { id: "other", owned_by: "acme", multiplier: "1", fixed: "0.01", ...unpriced },
];

beforeEach(() => {
  queryClient.clear();
  const shown = { ...group, multiplier: "1", fixed: "0.01" };
  const answers: Record<string, object[]> = {
    "/api/operator/groups": [shown],
    "/api/operator/group-rules": rules,
    "/api/models": visible,
  };
  vi.spyOn(api, "GET").mockImplementation((async (path: string) => ({
    data: { items: answers[path] ?? [], next: "" },
    response: new Response(),
  })) as never);
  queryClient.setQueryData(groupsQuery.queryKey, { items: [shown] as never, more: false });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it.each([
  ["Change the rule for cheap", "Multiplier", "0.5"],
  ["Change the rule for drawing", "Price per request", "0.25"],
  ["Change the rule for all models", "Price per request", "0.01"],
  ["Change the price rule", "Price per request", "0.01"],
  ["Override the price of cheap", "Multiplier", "0.5"],
  ["Override the price of other", "Price per request", "0.01"],
])("%s: the form shows what users pay now", async (button, field, value) => {
  renderPage(GroupPage, "/operator/groups/$id", "/operator/groups/g");
  await userEvent.click(await screen.findByRole("button", { name: button }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole("textbox", { name: field })).toHaveProperty("value", value);
});
