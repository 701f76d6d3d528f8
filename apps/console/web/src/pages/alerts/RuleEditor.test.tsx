// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";

import { RuleEditor } from "./RuleEditor";

const tokens = [
  { id: "t1", name: "in use", status: "enabled" },
  { id: "t2", name: "given up", status: "revoked" },
];

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: { id: "u", role: "admin" } } as Identity);
  vi.spyOn(api, "GET").mockImplementation(((
    path: string,
    init?: { params?: { query?: { include_revoked?: true } } },
  ) => {
    const shown = tokens.filter(({ status }) => init?.params?.query?.include_revoked || status !== "revoked");
    return Promise.resolve({
      data: { items: path === "/api/tokens" ? shown : [], more: false },
      response: new Response(),
    });
  }) as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("offers no revoked tokens, which the API refuses", async () => {
  renderIn(<RuleEditor edited="new" close={() => undefined} operator={false} />);
  await userEvent.click(await screen.findByRole("combobox", { name: "Of" }));
  await userEvent.click(await screen.findByRole("option", { name: "Tokens" }));
  await userEvent.click(await screen.findByRole("combobox", { name: "Only" }));
  expect(await screen.findByRole("option", { name: "in use" })).toBeTruthy();
  expect(screen.queryByRole("option", { name: "given up" })).toBeNull();
});
