// Tests of the examples against a fake server that answers for the relay and the console.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";

import { runExample } from "./example.js";

const chunk = (content: string) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
const page = (quota: string, next: string | null) => JSON.stringify({ items: [{ model: "m", tokens: { total: 3 }, quota }], next });

/** The responses of the fake server, by request line and credential. */
const responses: Record<string, { status?: number; type?: string; body: string }> = {
  "POST /api/tokens ak-1": { status: 201, body: '{"value":"sk-tg-1"}' },
  "POST /api/tokens ak-wrong": { status: 401, type: "application/problem+json", body: '{"detail":"The access key is not valid."}' },
  "POST /v1/chat/completions sk-tg-1": { type: "text/event-stream", body: `${chunk("Hel")}${chunk("lo")}data: [DONE]\n\n` },
  "POST /v1/responses sk-tg-1": {
    type: "text/event-stream",
    body: [
      { type: "response.reasoning_summary_text.done", item_id: "rs_1", output_index: 0, summary_index: 0, text: "A river." },
      { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: '{"name":"Lis' },
      { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: 'bon"}\n' },
      { type: "response.output_item.done", output_index: 2, item: { type: "function_call", call_id: "call_1", name: "inhabitants", arguments: '{"name":"Lisbon"}' } },
      { type: "response.completed", response: { id: "resp_1", object: "response", output: [] } },
    ]
      .map((event, at) => `data: ${JSON.stringify({ sequence_number: at, ...event })}\n\n`)
      .join(""),
  },
  "GET /api/usage-logs ak-1": { body: page("0.002", "page-2") },
  "GET /api/usage-logs?after=page-2 ak-1": { body: page("0.001", null) },
};

/** Returns the request line with the credential, the key of responses. */
function lineOf({ method, url = "", headers }: IncomingMessage): string {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const next = searchParams.get("after");
  return `${method} ${pathname}${next ? `?after=${next}` : ""} ${headers.authorization?.replace("Bearer ", "")}`;
}

const server = createServer((request, response) => {
  const { status = 200, type = "application/json", body } = responses[lineOf(request)] ?? { status: 500, body: `{"detail":"unexpected ${lineOf(request)}"}` };
  response.writeHead(status, { "content-type": type }).end(body);
});
const env = { RELAY_URL: "", CONSOLE_URL: "", ACCESS_KEY: "ak-1", MODEL: "m" };

before(async () => {
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  env.RELAY_URL = env.CONSOLE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

test("chat prints a streamed response", async () => assert.equal(await runExample("chat", env), "Hello"));

test("chat fails with the detail of the console's error", async () => {
  await assert.rejects(runExample("chat", { ...env, ACCESS_KEY: "ak-wrong" }), /The access key is not valid/);
});

test("responses prints reasoning, text and calls", async () => {
  const printed = await runExample("responses", { ...env, TOKEN: "sk-tg-1" });
  assert.equal(printed, 'reasoning: A river.\n{"name":"Lisbon"}\ncall: inhabitants {"name":"Lisbon"}\n3 items for the next request\n');
});

test("usage-logs prints every page", async () => {
  assert.equal(await runExample("usage-logs", env), "m: 3 tokens, 0.002 USD\nm: 3 tokens, 0.001 USD\n");
});

test("docs/clients.md shows the example chat", async () => {
  const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");
  const [docs, example] = await Promise.all([read("../../../../../../docs/clients.md"), read("../../../examples/chat.ts")]);
  assert.ok(docs.includes(`\`\`\`ts\n${example}\`\`\`\n`));
});
