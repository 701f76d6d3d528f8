// @vitest-environment happy-dom
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { renderIn } from "@/components/testing";
import { anyLostByReload, losesUnsaved } from "@/components/unsaved";

import { type Answer, noAnswer } from "./answer";
import type { Outcome } from "./call";
import type { Receipt } from "./conversation";
import { readHistory } from "./history";
import type { ModelRequest } from "./request";
import { fresh, serialize } from "./storage";
import { exampleTools } from "./tools";
import { Workbench } from "./Workbench";

interface Call {
  request: ModelRequest;
  signal: AbortSignal;
  onAnswer: (answer: Answer, receipt: Receipt) => void;
  end: (outcome: Outcome) => void;
}

const calls: Call[] = [];

vi.mock("./call", () => ({
  callModel: (call: Omit<Call, "end">) => new Promise<Outcome>((end) => calls.push({ ...call, end })),
}));
vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  useNavigate: () => vi.fn(),
  useLocation: () => "",
  getRouteApi: () => ({ useSearch: () => ({}) }),
}));
vi.mock("@/components/links", () => ({
  AnchorLink: ({ children }: { children: string }) => <a href="#log">{children}</a>,
}));

const model = (id: string) => ({
  id,
  owned_by: "tollgate",
  max_output: 4096,
  max_output_stated: false,
  context_length: 0,
  modalities: { input: [], output: [] },
  free: true,
  multiplier: "1",
  fixed: null,
  effective: [],
  effective_tiers: [],
  effective_service_tiers: [],
});
const receipt = (of: string): Receipt => ({
  model: of,
  requestId: undefined,
  quota: "0.5",
  input: 3,
  cached: 0,
  output: 50,
  reasoning: 0,
  firstToken: 500,
  total: 1500,
});
const modelOf = (call: Call | undefined) => call?.request.body["model"];

async function finish(call: Call | undefined, answer: Partial<Answer>) {
  const answering = () => screen.queryAllByRole("article", { name: "Assistant, answering" }).length;
  const before = answering();
  call?.end({
    answer: { ...noAnswer, finish: "stop", ...answer },
    receipt: receipt(String(modelOf(call))),
    stopped: false,
  });
  await waitFor(() => expect(answering()).toBeLessThan(before));
}

const show = (settings: Partial<typeof fresh.settings> = {}) => {
  sessionStorage.setItem(
    "tollgate.playground.anna",
    serialize({ ...fresh, settings: { ...fresh.settings, model: "echo-1", ...settings } }),
  );
  return renderIn(<Workbench userId="anna" base="http://relay" models={[model("echo-1"), model("echo-2")]} />);
};
const ask = (text: string) => userEvent.type(screen.getByRole("textbox", { name: "Your message" }), `${text}{Enter}`);

beforeEach(() => {
  calls.length = 0;
  sessionStorage.clear();
  localStorage.clear();
});
afterEach(cleanup);

it("shows JSON answers with indentation", async () => {
  show();
  await ask("Hi");
  await finish(calls[0], { text: '{"a":[1]}' });
  expect((await screen.findByLabelText("JSON answer")).textContent).toBe('{\n  "a": [\n    1\n  ]\n}');
});

it("sends nothing with a malformed schema", async () => {
  show({ format: "json_schema", schema: "{" });
  await ask("Hi");
  expect(calls).toHaveLength(0);
  expect(screen.getAllByText("The schema of the answer is invalid. Check the settings.").length).toBeGreaterThan(0);
});

it("is asked about before the rest of an answer would be lost", async () => {
  show();
  await ask("Hi");
  expect([anyLostByReload(), losesUnsaved("PUSH")]).toEqual([true, false]);
  await finish(calls[0], { text: "Hello" });
  expect(anyLostByReload()).toBe(false);
});

it("sends decimals as they are typed", async () => {
  show();
  const [temperature, topP] = ["Temperature", "Top P"].map((name) => screen.getByRole("textbox", { name }));
  await userEvent.type(temperature as HTMLElement, "0.7");
  await userEvent.type(topP as HTMLElement, "0.50");
  expect([temperature, topP].map((field) => (field as HTMLInputElement).value)).toEqual(["0.7", "0.50"]);
  await ask("Hi");
  expect(calls[0]?.request.body).toMatchObject({ temperature: 0.7, top_p: 0.5 });
});

it("stops with Esc", async () => {
  show();
  await ask("Hi");
  await userEvent.keyboard("{Escape}");
  expect(calls[0]?.signal.aborted).toBe(true);
});

it("shows the call of a function, and continues with the result that the user enters and later edits", async () => {
  show({ tools: exampleTools });
  await ask("Weather?");
  await finish(calls[0], {
    calls: [{ id: "c1", name: "get_weather", arguments: '{"city":"Bonn"}' }],
    finish: "tool_calls",
  });
  expect((await screen.findByLabelText("Arguments of get_weather")).textContent).toContain('"city": "Bonn"');
  expect(screen.getByText("Enter the results of the functions first.")).toBeTruthy();
  const field = screen.getByRole("textbox", { name: "Result of get_weather" });
  await userEvent.click(field);
  expect(losesUnsaved("PUSH")).toBe(false);
  await userEvent.paste('{"sky":"rain"}');
  expect(losesUnsaved("PUSH")).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Send results" }));
  expect(calls[1]?.request.body["messages"]).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    { role: "tool", tool_call_id: "c1", content: '{"sky":"rain"}' },
  ]);
  await finish(calls[1], { text: "Rain." });

  const result = await screen.findByRole("article", { name: "Result of get_weather" });
  await userEvent.click(within(result).getByRole("button", { name: "Edit" }));
  await userEvent.clear(within(result).getByRole("textbox"));
  await userEvent.type(within(result).getByRole("textbox"), "sun");
  expect(losesUnsaved("PUSH")).toBe(true);
  await userEvent.click(within(result).getByRole("button", { name: "Save and ask again" }));
  expect(losesUnsaved("PUSH")).toBe(false);
  expect(calls[2]?.request.body["messages"]).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    { role: "tool", content: "sun" },
  ]);
});

it("asks two models at once, shows the figures of each, and stops both", async () => {
  show();
  await userEvent.click(screen.getByRole("button", { name: "Compare" }));
  await ask("Hi");
  expect(calls.map(modelOf)).toEqual(["echo-1", "echo-2"]);
  await finish(calls[0], { text: "From one" });
  const first = screen.getByRole("region", { name: "echo-1" });
  const second = screen.getByRole("region", { name: "echo-2" });
  await within(first).findByText("From one");
  expect(within(second).queryByText("From one")).toBeNull();
  expect(first.querySelector("dl")?.textContent).toBe("Cost$0.50First token500 msTokens/s50.0Total time1.50 s");
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(calls[1]?.signal.aborted).toBe(true);
  await finish(calls[1], { text: "From two" });
  await ask("Again");
  expect(calls.slice(2).map((call) => call.request.body["messages"])).toMatchObject([
    [{}, { content: "From one" }, {}],
    [{}, { content: "From two" }, {}],
  ]);
});

it("keeps the conversation in the history, from which it can be opened and deleted", async () => {
  show();
  await ask("Remember me");
  await finish(calls[0], { text: "I do." });
  await screen.findByText("I do.");
  expect(readHistory("anna").map(({ title }) => title)).toEqual(["Remember me"]);
  await userEvent.click(screen.getByRole("button", { name: "New conversation" }));
  expect(screen.queryByText("I do.")).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "History" }));
  await userEvent.click(await screen.findByRole("button", { name: /^Remember me/ }));
  expect(await screen.findByText("I do.")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "History" }));
  await userEvent.click(await screen.findByRole("button", { name: "Delete Remember me" }));
  expect(readHistory("anna")).toEqual([]);
});
