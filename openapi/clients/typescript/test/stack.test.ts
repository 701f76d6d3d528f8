// The package as its users have it, against a running Tollgate.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { createConsole, type Schema } from "@tollgate/client/console";
import { createRelay, Refusal, streamChat, streamResponse } from "@tollgate/client/relay";

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

const relay = () => createRelay({ url: relayURL, token: token.value });

test("models", async () => {
  const { data } = await relay().GET("/v1/models");
  assert.deepEqual(data?.data.map((m) => m.id), [model]);
});

test("a call and its usage log", async () => {
  const { data, response } = await relay().POST("/v1/chat/completions", { body: { model, messages: [{ role: "user", content: "hello" }] } });
  assert.ok(data?.choices[0]?.message.content);
  const id = response.headers.get("x-request-id") ?? assert.fail("no x-request-id");
  const log = await until(async () => (await console.GET("/api/usage-logs/{id}", { params: { path: { id } } })).data);
  assert.equal(log.token_name, "typescript");
  assert.equal(log.tokens.total, data.usage?.total_tokens);
  const logs = await console.GET("/api/usage-logs", { params: { query: { token_id: token.id } } });
  assert.equal(logs.data?.items.some((item) => item.id === id), true);
});

test("a stream of chunks", async () => {
  let text = "";
  let total = 0;
  const body = { model, messages: [{ role: "user", content: "hello" }], stream_options: { include_usage: true } };
  for await (const chunk of streamChat(relay(), body)) {
    text += chunk.choices[0]?.delta.content ?? "";
    total = chunk.usage?.total_tokens ?? total;
  }
  assert.notEqual(text, "");
  assert.notEqual(total, 0);
});

test("a stream of events", async () => {
  const kinds: string[] = [];
  for await (const event of streamResponse(relay(), { model, input: "hello" })) kinds.push(event.type);
  assert.equal(kinds[0], "response.created");
  assert.equal(kinds.at(-1), "response.completed");
});

test("a stream that is left", async () => {
  for await (const chunk of streamChat(relay(), { model, messages: [{ role: "user", content: "hello" }] })) {
    assert.ok(chunk.id);
    break;
  }
});

test("refusals", async () => {
  const unknown = { model: "gpt-99", messages: [{ role: "user", content: "hello" }] };
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

test("the examples", async () => {
  assert.notEqual(await runExample("chat", process.env), "");
  await until(async () => (await runExample("usage-logs", process.env)) || undefined);
});

/** Usage logs are written a moment after the answer. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (Date.now() > deadline) assert.fail("no usage log in 20 s");
    await new Promise((next) => setTimeout(next, 50));
  }
}
