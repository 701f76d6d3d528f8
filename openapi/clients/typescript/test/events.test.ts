// Tests of the stream readers with streams of many forms. They need no relay.
import assert from "node:assert/strict";
import { test } from "node:test";

import { events } from "@tollgate/client/events";
import { createRelay, Cut, Refusal, streamChat, streamResponse } from "@tollgate/client/relay";

const hello = 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hello"}}]}';

function bodyOf(...pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

/** Returns a client of a relay that answers with the text, in pieces of size bytes. */
function clientOf(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
  const fetch = async () => new Response(bodyOf(...pieces), { headers: { "content-type": "text/event-stream" } });
  return createRelay({ url: "http://relay.test", token: "t", fetch });
}

/** Reads a chat stream and returns the number of its choices. */
async function chunks(text: string, size = 7): Promise<number> {
  let count = 0;
  for await (const chunk of streamChat(clientOf(text, size), { model: "m", messages: [] })) count += chunk.choices.length;
  return count;
}

const stream = [
  ": a comment",
  "",
  'data: {"text":"grüße 🦉"}',
  "",
  "event: response.completed",
  "id: 7",
  "data: first",
  "data:second",
  "data",
  "",
  "event: ping",
  "",
  "data: [DONE]",
  "",
  "data: cut off",
  "",
];

async function dataOf(...pieces: Uint8Array[]): Promise<string[]> {
  const all: string[] = [];
  for await (const data of events(bodyOf(...pieces))) all.push(data);
  return all;
}

for (const [name, end] of [["LF", "\n"], ["CRLF", "\r\n"], ["CR", "\r"]] as const) {
  test(`events reads lines that end in ${name}, split into pieces at any byte`, async () => {
    const whole = new TextEncoder().encode(stream.join(end));
    for (let at = 0; at <= whole.length; at++) {
      assert.deepEqual(await dataOf(whole.slice(0, at), whole.slice(at)), ['{"text":"grüße 🦉"}', "first\nsecond\n", "[DONE]"], `cut at ${at}`);
    }
  });
}

test("events throws if an event is longer than the limit", async () => {
  const piece = new TextEncoder().encode("x".repeat(1 << 20));
  await assert.rejects(dataOf(...Array.from({ length: 18 }, () => piece)), { name: "ParseError" });
});

test("streamChat yields all chunks of a complete stream, whatever the size of the pieces", async () => {
  for (const size of [1, 2, 7, 1000]) {
    assert.equal(await chunks(`${hello}\n\n${hello}\n\ndata: [DONE]\n\n`, size), 2);
    assert.equal(await chunks(`: wait\r\n\r\nevent: x\r\n${hello}\r\n\r\ndata: [DONE]\r\n\r\n`, size), 1);
  }
});

test("streamChat throws if the stream is cut off, malformed or reports an error", async () => {
  await assert.rejects(chunks(`${hello}\n\n`), Cut);
  await assert.rejects(chunks(`${hello}\n\n${hello}`), Cut);
  await assert.rejects(chunks(`data: {\n\n`), SyntaxError);
  const failed = 'data: {"error":{"message":"broke","type":"t","param":null,"code":"upstream_error"}}';
  await assert.rejects(chunks(`${hello}\n\n${failed}\n\n`), (error) => error instanceof Refusal && error.code === "upstream_error");
});

test("streamResponse reads nothing after the last event", async () => {
  const kinds: string[] = [];
  const text = 'data: {"type":"response.created"}\n\ndata: {"type":"response.failed"}\n\ndata: {\n\n';
  for await (const event of streamResponse(clientOf(text, 5), { model: "m", input: "" })) kinds.push(event.type);
  assert.deepEqual(kinds, ["response.created", "response.failed"]);
});
