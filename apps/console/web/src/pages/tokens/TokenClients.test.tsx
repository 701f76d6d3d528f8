// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { renderIn } from "@/components/testing";

import { TokenClients } from "./TokenClients";

vi.mock("@/components/links", () => ({
  AnchorLink: ({ to, search, children }: { to: string; search: Record<string, string>; children: ReactNode }) => (
    <a href={`${to}?${new URLSearchParams(search)}`}>{children}</a>
  ),
}));

const token = { id: "t1" } as Schema<"Token">;

const answer = (items: Schema<"TokenClient">[]) =>
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items }, response: new Response() } as never);

beforeEach(() => queryClient.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("lists addresses and programs, and all others together", async () => {
  const asked = answer([
    {
      id: "c1",
      address: "203.0.113.7",
      agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      first_at: "2026-01-10T12:00:00Z",
      last_at: "2026-01-10T12:00:00Z",
      calls: 1234,
    },
    { address: "", agent: "", first_at: "2026-01-09T12:00:00Z", last_at: "2026-01-09T12:00:00Z", calls: 5 },
  ]);
  renderIn(<TokenClients token={token} />);
  const row = (await screen.findByText("203.0.113.7")).closest("tr")!;
  expect(within(row).getByText("Firefox 140 on Linux")).toBeTruthy();
  const logs = within(row).getByRole("link", { name: "1,234" });
  expect(logs.getAttribute("href")).toBe("/usage-logs?token=t1&client=c1");
  const others = screen.getByText("Others").closest("tr")!;
  expect(within(others).getByText("5")).toBeTruthy();
  expect(within(others).queryByRole("link")).toBeNull();
  expect(within(others).queryByText("Unknown client")).toBeNull();
  expect(asked).toHaveBeenCalledWith("/api/tokens/{id}/clients", { params: { path: { id: "t1" } } });
});

it("says that a token was not used yet", async () => {
  answer([]);
  renderIn(<TokenClients token={token} />);
  expect(await screen.findByText("Not used yet")).toBeTruthy();
});

it("does not say so of a token that was used before addresses were kept", async () => {
  answer([]);
  renderIn(<TokenClients token={{ ...token, last_used: "2026-01-10T12:00:00Z" }} />);
  expect(await screen.findByText("No addresses on record")).toBeTruthy();
  expect(screen.queryByText("Not used yet")).toBeNull();
});
