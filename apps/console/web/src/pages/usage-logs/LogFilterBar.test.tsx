// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";

import type { LogFilters } from "./filters";
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

const field = (label: string) => screen.getByRole(label === "Model" ? "combobox" : "textbox", { name: label });
const bar = (filters: LogFilters, set: (change: LogFilters) => void = vi.fn()) => (
  <LogFilterBar filters={filters} refused={false} set={set} clear={() => undefined} />
);
const fields: [label: string, name: keyof LogFilters, text: string][] = [
  ["Model", "model", "gpt-4o"],
  ["End user", "end_user", "ann"],
  ["Tag", "tag", "team=a"],
  ["Request ID", "request", "01900000-0000-7000-8000-000000000000"],
];

it.each(fields)(
  "the filter %s keeps the focus when it is applied, and follows other changes",
  async (label, _name, text) => {
    function Page() {
      const [filters, setFilters] = useState<LogFilters>({});
      return (
        <>
          {bar(filters, (change) => setFilters((before) => ({ ...before, ...change })))}
          <button onClick={() => setFilters({})}>Reset</button>
        </>
      );
    }
    renderIn(<Page />);
    await userEvent.type(field(label), `${text}{Enter}`);
    await screen.findByText("Clear filters");
    expect(document.activeElement).toBe(field(label));
    expect(field(label)).toHaveProperty("value", text);
    fireEvent.click(screen.getByText("Reset"));
    expect(field(label)).toHaveProperty("value", "");
  },
);

it.each(fields)("the filter %s isn't applied by an Enter that an input method gets", async (label, name, text) => {
  const set = vi.fn();
  renderIn(bar({}, set));
  await userEvent.type(field(label), text);
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    fireEvent.keyDown(field(label), { key: "Enter", ...composing });
  expect(set).not.toHaveBeenCalled();
  fireEvent.keyDown(field(label), { key: "Enter", keyCode: 13 });
  expect(set).toHaveBeenCalledWith(expect.objectContaining({ [name]: text }));
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
