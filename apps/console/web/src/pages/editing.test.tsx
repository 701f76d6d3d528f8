// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { api } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import type { Identity } from "@/api/session";
import { renderIn } from "@/components/testing";

import { RuleEditor } from "./alerts/RuleEditor";
import { EditMember } from "./members/EditMember";
import { modelsQuery } from "./operator/catalog/queries";
import { ChannelEditor } from "./operator/channels/ChannelEditor";
import { channel } from "./operator/channels/testing";
import { GroupEditor } from "./operator/groups/GroupEditor";
import { EditModel } from "./operator/models/EditModel";
import { PriceEditor } from "./operator/models/PriceEditor";
import { AccountEditor } from "./operator/suppliers/AccountEditor";
import { EditTenant } from "./operator/tenants/EditTenant";
import { EditUser } from "./operator/users/EditUser";
import { TokenDrawer } from "./tokens/TokenForm";

vi.mock("@tanstack/react-router", async (original) => ({ ...(await original<object>()), useNavigate: () => vi.fn() }));

const close = () => {};
const limits = { requests_per_minute: 60, tokens_per_minute: 0, concurrency: 0 };
const caps = { day: "1", week: null, month: null };
const person = { id: "p", email: "p@example.com", role: "admin", quota: { granted: "5" }, caps, limits };

/** A record as a form was opened with it, and what another person changed meanwhile. */
interface Case {
  form: (record: never) => ReactNode;
  record: object;
  changed: object;
  /** The text field that the test changes. */
  field?: string;
  typed?: string;
  body?: object;
}

const cases: Record<string, Case> = {
  tenant: {
    form: (tenant) => <EditTenant opened close={close} tenant={tenant} />,
    record: {
      id: "t",
      name: "a",
      status: "enabled",
      quota_mode: "hard",
      output_cap: "auto",
      ignored_fields: "report",
      include_quota: false,
      caps,
    },
    changed: { status: "disabled", quota_mode: "soft", include_quota: true, caps: { ...caps, day: "2" } },
  },
  group: {
    form: (group) => <GroupEditor opened close={close} group={group} />,
    record: { id: "g", name: "a", models: ["*"], limits },
    changed: { models: ["m"], limits: { ...limits, concurrency: 3 } },
  },
  model: {
    form: (model) => <EditModel opened close={close} model={model} />,
    record: {
      id: "m",
      owned_by: "a",
      max_output: 100,
      context_length: 1000,
      modalities: { input: ["text"], output: ["text"] },
      free: false,
      routing: "weighted",
      limits,
    },
    changed: {
      free: true,
      max_output: 50,
      context_length: 500,
      routing: "cheapest",
      limits: { ...limits, concurrency: 3 },
    },
    field: "Owned by",
    body: { owned_by: "ab" },
  },
  "billing account": {
    form: (account) => <AccountEditor opened close={close} account={account} />,
    record: { id: "b", name: "a", provider: "csv", base_url: "", status: "enabled", channels: [], keys: [] },
    changed: { status: "disabled", channels: ["c"], keys: [{ id: "k", mask: "sk-…1" }], updated_at: "later" },
  },
  "alert rule": {
    form: (rule) => <RuleEditor edited={rule} close={close} operator={false} />,
    record: { id: "r", name: "a", kind: "run_out", thresholds: [7], destinations: [] },
    changed: {},
  },
  token: {
    form: (token) => <TokenDrawer opened close={close} token={token} />,
    record: { ...person, id: "t", user_id: "p", name: "a", models: [], addresses: [], expires_at: null },
    changed: { models: ["m"], addresses: ["203.0.113.7"], quota: { granted: "1" }, caps: { ...caps, week: "2" } },
  },
  member: {
    form: (member) => <EditMember member={member} close={close} />,
    record: person,
    changed: { role: "member", caps: { ...caps, week: "2" }, limits: { ...limits, concurrency: 3 } },
    field: "Total",
    typed: "1",
    body: { quota: "51" },
  },
  user: {
    form: (user) => <EditUser user={user} close={close} />,
    record: { ...person, status: "enabled", group_id: "g" },
    changed: { role: "member", status: "disabled", group_id: "h", caps: { ...caps, week: "2" } },
    field: "Total",
    typed: "1",
    body: { quota: "51" },
  },
  budget: {
    form: (member) => <EditMember member={member} close={close} />,
    record: person,
    changed: { caps: { ...caps, week: "2" } },
    field: "Per day",
    typed: "1",
    body: { caps: { day: "11" } },
  },
  "rate limit": {
    form: (group) => <GroupEditor opened close={close} group={group} />,
    record: { id: "g", name: "a", models: ["*"], limits },
    changed: { limits: { ...limits, concurrency: 3 } },
    field: "Requests per minute",
    typed: "1",
    body: { limits: { requests_per_minute: 601 } },
  },
  channel: {
    form: (edited) => <ChannelEditor opened close={close} channel={edited} />,
    record: channel({ name: "a" }),
    changed: {
      base_url: "https://b.example/v1",
      models: { n: "up" },
      weight: 5,
      settings: { ...channel().settings, system_prompt: "Be brief.", headers: { "x-team": "a" } },
    },
  },
};

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData<Identity>(sessionQuery.queryKey, {
    user: { id: "o", role: "owner" },
    expires_at: "2026-01-01T00:00:00Z",
  } as Identity);
  const empty = { data: { items: [], more: false }, response: new Response() } as never;
  vi.spyOn(api, "GET").mockResolvedValue(empty);
  vi.spyOn(api, "POST").mockResolvedValue(empty);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

/** Answers reads of one record, and those of lists with none. */
const answerWith = (record: object) =>
  vi
    .spyOn(api, "GET")
    .mockImplementation((async (path: string) => ({
      data: path.endsWith("{id}") ? record : { items: [], more: false },
      response: new Response(),
    })) as never);

it.each(Object.entries(cases))(
  "form of %s: sends only what was changed in it",
  async (_name, { form, record, changed, field = "Name", typed = "b", body = { name: "ab" } }) => {
    const sent = vi.spyOn(api, "PATCH").mockResolvedValue({ data: { ...record }, response: new Response() } as never);
    answerWith({ ...record, ...changed });
    const { rerender } = renderIn(form(record as never));
    const input = await screen.findByRole("textbox", { name: new RegExp(`^${field}`) });
    rerender(form({ ...record, ...changed } as never));
    await userEvent.type(input, typed);
    await userEvent.click(screen.getByRole("button", { name: /^Save/ }));
    await waitFor(() => expect(sent).toHaveBeenCalledOnce());
    expect(sent).toHaveBeenCalledWith(expect.any(String), expect.objectContaining({ body }));
  },
);

it.each([
  ["channel", "Upstream model, row 1", /^The channel a has changed meanwhile\./],
  ["group", "Models", /^The models of a have changed meanwhile\./],
])("form of %s: saves no list that another person has changed meanwhile", async (name, field, refusal) => {
  const { form, record, changed } = cases[name] as Case;
  const sent = vi.spyOn(api, "PATCH");
  answerWith({ ...record, ...changed });
  renderIn(form(record as never));
  await userEvent.type(await screen.findByLabelText(field, { selector: "input" }), "x{Enter}");
  await userEvent.click(screen.getByRole("button", { name: /^Save/ }));
  expect(await screen.findByText(refusal)).toBeTruthy();
  expect(sent).not.toHaveBeenCalled();
});

it.each(["tenant", "token"])("form of %s: the lists that have its name are read again", async (name) => {
  const { form, record } = cases[name] as Case;
  const lists = [
    ["names", "tenants"],
    ["choice", `${name}s`, "t"],
    ["choices", `${name}s`, ""],
    ["palette", `${name}s`, "a"],
  ];
  for (const list of lists) queryClient.setQueryData(list, null);
  vi.spyOn(api, "PATCH").mockResolvedValue({ data: record, response: new Response() } as never);
  renderIn(form(record as never));
  await userEvent.type(await screen.findByRole("textbox", { name: /^Name/ }), "b");
  await userEvent.click(screen.getByRole("button", { name: /^Save/ }));
  for (const list of lists)
    await waitFor(() => expect(queryClient.getQueryState(list)?.isInvalidated, String(list)).toBe(true));
});

it("form of a price: saves nothing after another person has changed the price", async () => {
  const opened = { input: "1", output: "2" };
  const current = { ...opened, output: "3" };
  const form = (price: object) => <PriceEditor opened close={close} model={{ id: "m", free: false, price } as never} />;
  queryClient.setQueryData(modelsQuery.queryKey, { items: [], more: false });
  const sent = vi
    .spyOn(api, "POST")
    .mockResolvedValue({
      data: { items: [{ model: "m", current, loss: false, channels: [] }] },
      response: new Response(),
    } as never);
  const { rerender } = renderIn(form(opened));
  const [input] = await screen.findAllByRole("textbox", { name: /^Input/ });
  rerender(form(current));
  await userEvent.type(input as HTMLElement, "5");
  await userEvent.click(screen.getByRole("button", { name: "Change the price now" }));
  expect(await screen.findByText(/^The price of m has changed meanwhile\./)).toBeTruthy();
  expect(sent).not.toHaveBeenCalledWith("/api/operator/prices", expect.anything());
  expect(queryClient.getQueryState(modelsQuery.queryKey)?.isInvalidated).toBe(true);
});
