// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { searchTenants, searchTokens, searchUsers } from "@/api/names";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";

import { FilterBar } from "./FilterBar";

const value = "sk-1234567890abcdefghijklmnopqrstuvwxyz";
const identityOf = (role: string) => ({ user: { id: "u", role }, expires_at: "2026-01-01T00:00:00Z" }) as Identity;

beforeEach(() => {
  queryClient.clear();
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items: [] }, response: new Response() } as never);
  vi.spyOn(api, "POST").mockResolvedValue({ data: { id: "t1", name: "leaked" }, response: new Response() } as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const addresses = () => JSON.stringify(vi.mocked(api.GET).mock.calls);

it.each(["owner", "operator"])("the value of a token gets into no address, for the role %s", async (role) => {
  queryClient.setQueryData(sessionQuery.queryKey, identityOf(role));
  const set = vi.fn();
  renderIn(<FilterBar filters={{}} set={set} clear={() => {}} />);
  const actor = screen.getByRole("combobox", { name: "Actor" });
  await userEvent.click(actor);
  await userEvent.paste(value);
  await waitFor(() => expect(queryClient.getQueryState(["choices", "audit-actors", value])?.status).toBe("success"));
  await userEvent.click(screen.getByRole("combobox", { name: "Resource" }));
  await userEvent.paste(value);
  const leaked = await screen.findByRole("option", { name: "leaked" });
  expect(screen.queryByRole("option", { name: value })).toBeNull();
  await userEvent.click(leaked);
  expect(set).toHaveBeenCalledWith({ target: "t1" });
  const address = screen.getByRole<HTMLInputElement>("textbox", { name: "IP address" });
  await userEvent.click(address);
  await userEvent.paste(value);
  await waitFor(() => expect(address.value).toBe(""));
  expect(JSON.stringify(set.mock.calls)).not.toContain(value);
  expect(addresses()).not.toContain(value);
});

it("no search for users, tenants or tokens sends it in an address", async () => {
  await act(() =>
    Promise.all([
      searchUsers(identityOf("owner"), value),
      searchUsers(identityOf("operator"), value),
      searchTenants(value),
      searchTokens(value),
    ]),
  );
  expect(api.GET).not.toHaveBeenCalled();
});
