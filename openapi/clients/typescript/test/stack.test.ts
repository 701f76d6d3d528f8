// Tests of the built package against a running Tollgate, whose URLs and access key are in the environment.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { createConsole, type Schema } from "@tollgate/client/console";
import { createRelay, Refusal, type Schema as RelaySchema, streamChat, streamResponse } from "@tollgate/client/relay";

import { runExample } from "./example.js";

const given = (name: string): string => process.env[name] ?? assert.fail(`${name} is not set`);
const relayURL = given("RELAY_URL");
const model = given("MODEL");
const console = createConsole({ url: given("CONSOLE_URL"), accessKey: given("ACCESS_KEY") });
let token: Schema<"CreatedToken">;

before(async () => {
  const { data, error } = await console.POST("/api/tokens", { body: { name: "typescript", models: [model] } });
  assert.ok(data, JSON.stringify(error));
  token = data;
});

after(async () => {
  const { data } = await console.POST("/api/tokens/{id}/revoke", { params: { path: { id: token.id } } });
  assert.equal(data?.status, "revoked");
});

/** A chat request with the messages and further fields. */
const ask = (text: string, fields: Partial<RelaySchema<"ChatCompletionRequest">> = {}): RelaySchema<"ChatCompletionRequest"> =>
  ({ model, messages: [{ role: "user", content: text }], ...fields });

const relay = () => createRelay({ url: relayURL, token: token.value });

test("GET /v1/models lists the token's models", async () => {
  const { data } = await relay().GET("/v1/models");
  assert.deepEqual(data?.data.map((m) => m.id), [model]);
});

test("a chat request has a usage log", async () => {
  const { data, response } = await relay().POST("/v1/chat/completions", { body: ask("hello") });
  assert.ok(data?.choices[0]?.message.content);
  const id = response.headers.get("x-request-id") ?? assert.fail("no x-request-id");
  const log = await until(async () => (await console.GET("/api/usage-logs/{id}", { params: { path: { id } } })).data);
  assert.equal(log.token_name, "typescript");
  assert.equal(log.tokens.total, data.usage?.total_tokens);
  const logs = await console.GET("/api/usage-logs", { params: { query: { token_id: token.id } } });
  assert.equal(logs.data?.items.some((item) => item.id === id), true);
});

test("streamChat yields text and usage", async () => {
  let text = "";
  let total = 0;
  const body = ask("hello", { stream_options: { include_usage: true } });
  for await (const chunk of streamChat(relay(), body)) {
    text += chunk.choices[0]?.delta.content ?? "";
    total = chunk.usage?.total_tokens ?? total;
  }
  assert.notEqual(text, "");
  assert.notEqual(total, 0);
});

test("a chat request has images, tools, structured output and reasoning, and its answer types", async () => {
  const { data } = await relay().POST("/v1/chat/completions", {
    body: ask("", {
      messages: [
        { role: "developer", content: "Name the city in the picture." },
        {
          role: "user",
          content: [
            { type: "text", text: "Which city is this?" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" } },
          ],
        },
      ],
      reasoning_effort: "low",
      tools: [{ type: "function", function: { name: "look_up", parameters: { type: "object", properties: { name: { type: "string" } } } } }],
      tool_choice: "auto",
      response_format: { type: "json_schema", json_schema: { name: "city", schema: { type: "object" } } },
    }),
  });
  const message = data?.choices[0]?.message ?? assert.fail("no choice");
  for (const call of message.tool_calls ?? []) if (call.type === "function") assert.equal(typeof call.function.arguments, "string");
  assert.ok(typeof message.content === "string" || message.tool_calls?.length);
});

test("streamResponse yields events from created to completed", async () => {
  const kinds: string[] = [];
  for await (const event of streamResponse(relay(), { model, input: "hello" })) kinds.push(event.type);
  assert.equal(kinds[0], "response.created");
  assert.equal(kinds.at(-1), "response.completed");
});

test("a responses request has images, tools, structured output and reasoning, and its events have types", async () => {
  const body: RelaySchema<"ResponseRequest"> = {
    model,
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Which city is this?" },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "low" },
        ],
      },
    ],
    reasoning: { effort: "low", summary: "auto" },
    tools: [{ type: "function", name: "look_up", strict: false, parameters: { type: "object", properties: { name: { type: "string" } } } }],
    tool_choice: "auto",
    text: { format: { type: "json_schema", name: "city", schema: { type: "object" } } },
  };
  let text = "";
  let output: RelaySchema<"ResponseOutputItem">[] = [];
  for await (const event of streamResponse(relay(), body)) {
    if (event.type === "response.output_text.delta") text += event.delta;
    if (event.type === "response.completed") output = event.response.output;
  }
  let whole = "";
  for (const item of output) {
    if (item.type !== "message") continue;
    for (const part of item.content) if (part.type === "output_text") whole += part.text;
  }
  assert.equal(whole, text);
  const input: RelaySchema<"ResponseInputList"> = [...(body.input as RelaySchema<"ResponseInputList">), ...output];
  for (const item of output) if (item.type === "function_call") input.push({ type: "function_call_output", call_id: item.call_id, output: "Paris" });
  const { data, error } = await relay().POST("/v1/responses", { body: { model, input } });
  assert.equal(error, undefined);
  assert.equal(typeof data?.output_text, "string");
});

test("leaving the loop of streamChat ends the request", async () => {
  for await (const chunk of streamChat(relay(), ask("hello"))) {
    assert.ok(chunk.id);
    break;
  }
});

test("errors have the status and code of the API", async () => {
  const unknown = ask("hello", { model: "gpt-99" });
  const { error, response } = await relay().POST("/v1/chat/completions", { body: unknown });
  assert.equal(response.status, 404);
  assert.equal(error?.error.code, "model_not_found");
  await assert.rejects(
    async () => {
      for await (const chunk of streamChat(relay(), unknown)) assert.fail(chunk.id);
    },
    (failed) => failed instanceof Refusal && failed.status === 404 && failed.code === "model_not_found",
  );
  const wrong = await createConsole({ url: given("CONSOLE_URL"), accessKey: "ak-wrong" }).GET("/api/tokens");
  assert.equal(wrong.error?.code, "unauthenticated");
});

test("the examples run", async () => {
  assert.notEqual(await runExample("chat", process.env), "");
  await until(async () => (await runExample("usage-logs", process.env)) || undefined);
});

/** Repeats ask until it returns a value: usage logs are written shortly after the response. Fails after 20 s. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (Date.now() > deadline) assert.fail("no usage log in 20 s");
    await new Promise((next) => setTimeout(next, 50));
  }
}
