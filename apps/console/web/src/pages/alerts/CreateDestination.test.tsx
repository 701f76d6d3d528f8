// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";

import { CreateDestination } from "./CreateDestination";

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: { id: "o", role: "operator" } } as Identity);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("offers operators all operators, also where they are fewer than the other users before them", async () => {
  const people = [
    ...Array.from({ length: 500 }, (_, i) => ({ id: `m${i}`, email: `m${i}@acme.example`, role: "member" })),
    { id: "o", email: "own@x.example", role: "operator" },
    { id: "p", email: "pager@x.example", role: "operator" },
  ];
  vi.spyOn(api, "GET").mockImplementation((async (
    _path: string,
    { params }: { params: { query: { role?: string; limit: number } } },
  ) => ({
    data: { items: people.filter(({ role }) => role === (params.query.role ?? role)).slice(0, params.query.limit) },
    response: new Response(),
  })) as never);
  renderIn(<CreateDestination opened close={vi.fn()} operator created={vi.fn()} />);
  await userEvent.click(await screen.findByRole("combobox", { name: "Operator" }));
  expect(await screen.findByRole("option", { name: "pager@x.example" })).toBeTruthy();
});
