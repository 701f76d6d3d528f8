// @vitest-environment happy-dom
import { cleanup, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";

import { LogFilterBar } from "./LogFilterBar";

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: { id: "u", role: "member" } } as Identity);
  vi.spyOn(api, "GET").mockResolvedValue({ data: { items: [], more: false }, response: new Response() } as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const secret = "sk-0123456789abcdefghij";

it.each([
  ["Model", "model", "This is the value of a token. Filter by its name."],
  ["End user", "end_user", "This is the value of a token. Filter by its name."],
  ["Tag", "tag", "Use the form name=value."],
  ["Request ID", "request", "Not a request ID, see the header x-request-id."],
])("the filter %s refuses the value of a token, which would get into the address", async (label, field, fault) => {
  const set = vi.fn();
  renderIn(<LogFilterBar filters={{}} refused={false} set={set} clear={() => undefined} />);
  await userEvent.type(
    screen.getByRole(label === "Model" ? "combobox" : "textbox", { name: label }),
    `${secret}{Enter}`,
  );
  expect(await screen.findByText(fault)).toBeTruthy();
  await userEvent.tab();
  for (const [change] of set.mock.calls) expect(change).not.toHaveProperty(field, secret);
  expect(JSON.stringify(set.mock.calls)).not.toContain(secret);
});

it.each([
  ["Model", "model", "gpt-4o"],
  ["End user", "end_user", "ann"],
])("the filter %s is applied on Enter", async (label, field, text) => {
  const set = vi.fn();
  renderIn(<LogFilterBar filters={{}} refused={false} set={set} clear={() => undefined} />);
  await userEvent.type(screen.getByRole(label === "Model" ? "combobox" : "textbox", { name: label }), `${text}{Enter}`);
  expect(set).toHaveBeenCalledWith(expect.objectContaining({ [field]: text }));
});

it("the filter Channel offers operators all channels, and adds up no usage for it", async () => {
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, { user: { id: "o", role: "operator" } } as Identity);
  const read = vi
    .spyOn(api, "GET")
    .mockImplementation((async (path: string) => ({
      data: { items: path === "/api/operator/channels" ? [{ id: "c", name: "without calls" }] : [], next: "" },
      response: new Response(),
    })) as never);
  const set = vi.fn();
  renderIn(<LogFilterBar filters={{}} refused={false} set={set} clear={() => undefined} />);
  await userEvent.click(screen.getByRole("combobox", { name: "Channel" }));
  await userEvent.click(await screen.findByRole("option", { name: "without calls" }));
  expect(set).toHaveBeenCalledWith(expect.objectContaining({ channel: "c" }));
  expect(read).not.toHaveBeenCalledWith("/api/usage-summary", expect.anything());
});

it("the filter Channel offers members the channels that served them", async () => {
  const read = vi
    .spyOn(api, "GET")
    .mockResolvedValue({ data: { items: [{ value: "c", name: "main" }] }, response: new Response() } as never);
  renderIn(<LogFilterBar filters={{}} refused={false} set={vi.fn()} clear={() => undefined} />);
  await userEvent.click(screen.getByRole("combobox", { name: "Channel" }));
  expect(await screen.findByRole("option", { name: "main" })).toBeTruthy();
  expect(read).not.toHaveBeenCalledWith("/api/operator/channels", expect.anything());
});
