// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";
import { anyLostAtEnd, losesUnsaved } from "@/components/unsaved";
import type { Channel } from "@/pages/operator/catalog/queries";
import { noAnswer } from "@/pages/playground/answer";
import type { Call, Outcome } from "@/pages/playground/call";

import { OperatorWorkbench } from "./OperatorWorkbench";

interface Made extends Call {
  channel: { id: string };
  end: (outcome: Outcome) => void;
}

const calls: Made[] = [];
const navigate = vi.fn();

vi.mock("./call", async (original) => ({
  ...(await original<object>()),
  callChannel: (call: Call, channel: { id: string }) =>
    new Promise<Outcome>((end) => calls.push({ ...call, channel, end })),
}));
vi.mock("@tanstack/react-router", async (original) => ({ ...(await original<object>()), useNavigate: () => navigate }));
vi.mock("@/components/links", () => ({
  AnchorLink: ({ children }: { children: string }) => <a href="#channel">{children}</a>,
}));

const channelOf = (id: string, name: string, status: string, models: string[]) =>
  ({ id, name, status, models: Object.fromEntries(models.map((model) => [model, "up"])) }) as unknown as Channel;
const main = channelOf("c1", "main", "enabled", ["b", "a"]);
const spare = channelOf("c2", "spare", "disabled", ["a"]);

const show = (asked?: string, channel = main) =>
  renderIn(<OperatorWorkbench userId="olga" channel={channel} channels={[main, spare]} models={[]} asked={asked} />);
const ask = (text: string) => userEvent.type(screen.getByRole("textbox", { name: "Your message" }), `${text}{Enter}`);
const outcome = (fields: Partial<Outcome["answer"]>): Outcome => ({
  answer: { ...noAnswer, finish: "stop", ...fields },
  receipt: {
    model: "a",
    requestId: undefined,
    quota: "0.5",
    input: 3,
    cached: 0,
    output: 50,
    reasoning: 0,
    firstToken: 500,
    total: 1500,
    on: { channel: "main", status: 200, cost: "0.2" },
  },
  stopped: false,
});

beforeEach(() => {
  calls.length = 0;
  navigate.mockClear();
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(cleanup);

it("sends the conversation with the settings to the channel, and shows the figures of the answer", async () => {
  show();
  expect(screen.getAllByText("Not billed to a tenant. Your provider charges for it.").length).toBeGreaterThan(0);
  await userEvent.type(screen.getByRole("textbox", { name: "System prompt" }), "Be brief");
  await userEvent.type(screen.getByRole("textbox", { name: "Max output tokens" }), "9");
  await userEvent.type(screen.getByRole("textbox", { name: "Temperature" }), "1");
  await ask("Hi");
  expect(calls[0]?.channel.id).toBe("c1");
  expect(anyLostAtEnd(), "the end of the session would drop the conversation").toBe(true);
  expect(losesUnsaved("PUSH"), "another page keeps it").toBe(false);
  calls[0]?.end(outcome({ text: "Hello **you**" }));
  const answer = await screen.findByRole("article", { name: "Assistant" });
  for (const part of [
    "Hello you",
    "main",
    "status 200",
    "price $0.50",
    "cost $0.20",
    "first token 500 ms",
    "50.0 tokens/s",
  ])
    expect(answer.textContent).toContain(part);
  expect(within(answer).queryByText("Usage log")).toBeNull();
  await ask("And now?");
  expect(calls[1]?.request.body).toMatchObject({
    model: "a",
    temperature: 1,
    max_completion_tokens: 9,
    messages: [
      { role: "system", content: "Be brief" },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello **you**" },
      { role: "user", content: "And now?" },
    ],
  });
  expect(localStorage.length, "nothing is kept in the browser").toBe(0);
});

it("shows the response of the upstream in place of an answer", async () => {
  show();
  await ask("Hi");
  const failure = { message: "Refused", type: undefined, code: "credential", param: undefined, status: 401 };
  calls[0]?.end(outcome({ finish: undefined, failure: { ...failure, detail: '{"a":1}' } }));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("status 401 · credential");
  expect(within(alert).getByLabelText("Response of the upstream").textContent).toBe('{\n  "a": 1\n}');
});

it("stops with Esc, and lets no other channel be chosen before", async () => {
  show();
  await ask("Hi");
  const field = screen.getByRole("combobox", { name: "Channel" });
  expect(field).toHaveProperty("disabled", true);
  await userEvent.keyboard("{Escape}");
  expect(calls[0]?.signal.aborted).toBe(true);
  calls[0]?.end({ ...outcome({ text: "Hal" }), stopped: true });
  await waitFor(() => expect(field).toHaveProperty("disabled", false));
  expect(screen.getByText("Stopped")).toBeTruthy();
});

it("takes the model of a link, and puts the channel into the address", async () => {
  show("b");
  expect(screen.getByRole("combobox", { name: "Model" })).toHaveProperty("value", "b");
  const search = (channel: string) => ({ to: "/operator/playground", search: { channel }, replace: true });
  expect(navigate).toHaveBeenCalledWith(search("c1"));
  await userEvent.click(screen.getByRole("combobox", { name: "Channel" }));
  await userEvent.click(await screen.findByRole("option", { name: "spare (disabled)" }));
  expect(navigate).toHaveBeenLastCalledWith(search("c2"));
});

it("says that a channel has no models", () => {
  show(undefined, channelOf("c3", "bare", "enabled", []));
  expect(screen.getAllByText("The channel has no models.").length).toBeGreaterThan(0);
});
