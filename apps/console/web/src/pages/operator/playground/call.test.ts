import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Answer } from "@/pages/playground/answer";

import { callChannel } from "./call";
import { chosenChannel } from "./choice";

const channel = { id: "c1", name: "main" };
const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const receipt = (fields: object) =>
  `event: receipt\ndata: ${JSON.stringify({ receipt: { ok: true, mask: "sk-…", status: 200, error: "", detail: "", latency_ms: 900, connect_ms: 1, first_byte_ms: 2, first_token_ms: 300, ...fields } })}\n\n`;
const tokens = {
  input: 3,
  cached_input: 2,
  cache_write: 0,
  audio_input: 0,
  output: 4,
  reasoning: 1,
  audio_output: 0,
  total: 10,
};

const fetched = vi.fn<typeof fetch>();
const shown: Answer[] = [];
const call = (signal = new AbortController().signal) =>
  callChannel(
    {
      request: { path: "/chat/completions", body: { model: "m", messages: [] } },
      signal,
      onAnswer: (answer) => shown.push(answer),
    },
    channel,
  );
const stream = (...parts: string[]) =>
  new Response(parts.join(""), { headers: { "content-type": "text/event-stream" } });

beforeEach(() => {
  shown.length = 0;
  vi.stubGlobal("fetch", fetched);
});
afterEach(() => vi.unstubAllGlobals());

it("reads the answer and the console's receipt", async () => {
  fetched.mockResolvedValue(
    stream(
      chunk("po"),
      ": alive\n\n",
      chunk("ng", "stop"),
      "data: [DONE]\n\n",
      receipt({ tokens, price: "0.5", supplier_cost: "0.1" }),
    ),
  );
  const { answer, receipt: got, stopped } = await call();
  expect(answer).toMatchObject({ text: "pong", finish: "stop", failure: undefined });
  expect(got).toMatchObject({
    model: "m",
    quota: "0.5",
    input: 5,
    cached: 2,
    output: 5,
    reasoning: 1,
    firstToken: 300,
    total: 900,
    on: { channel: "main", status: 200, cost: "0.1" },
  });
  expect(stopped).toBe(false);
  expect(shown.map(({ text }) => text)).toContain("po");
  expect(fetched.mock.calls[0]?.[0]).toBe("/api/operator/channels/c1/call");
});

it("shows what the upstream answered in place of an answer", async () => {
  fetched.mockResolvedValue(
    stream(
      receipt({ ok: false, status: 401, error: "credential", detail: '{"error":"no"}', first_token_ms: undefined }),
    ),
  );
  const { answer, receipt: got } = await call();
  expect(answer.failure).toMatchObject({
    message: "The channel did not answer: Credential refused",
    code: "credential",
    status: 401,
    detail: '{"error":"no"}',
  });
  expect(got).toMatchObject({ quota: undefined, input: undefined, firstToken: undefined, on: { status: 401 } });
});

it("keeps the part of an answer that breaks off", async () => {
  fetched.mockResolvedValue(stream(chunk("po"), receipt({ ok: false, error: "timeout" })));
  expect((await call()).answer).toMatchObject({ text: "po", failure: { code: "timeout" } });
  fetched.mockResolvedValue(stream(chunk("po")));
  expect((await call()).answer).toMatchObject({ text: "po", failure: { message: "The answer ended unexpectedly." } });
});

it("shows the console's refusal with the wrong field", async () => {
  fetched.mockResolvedValue(
    Response.json(
      { detail: "The channel does not serve this model.", code: "invalid_type", param: "model" },
      { status: 400 },
    ),
  );
  expect((await call()).answer.failure).toMatchObject({
    message: "The channel does not serve this model.",
    param: "model",
    status: 400,
  });
});

it("chooses the channel of the link, or the first one that serves the model", () => {
  const one = (id: string, status: string, priority: number, model: string) =>
    ({ id, name: id, status, priority, models: { [model]: "x" } }) as unknown as Parameters<
      typeof chosenChannel
    >[0][number];
  const all = [one("off", "disabled", 0, "a"), one("late", "enabled", 2, "a"), one("first", "enabled", 1, "b")];
  const chosen = (id?: string, model?: string) => chosenChannel(all, id, model)?.id;
  expect(chosen("off")).toBe("off");
  expect(chosen("gone", "a")).toBe("late");
  expect(chosen(undefined, "none")).toBe("first");
  expect(chosenChannel([], "off", "a")).toBeUndefined();
});
