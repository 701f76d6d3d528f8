// What streams may look like, without a relay.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createRelay, Cut, Refusal, streamChat, streamResponse } from "@tollgate/client/relay";

const hello = 'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hello"}}]}';

/** A relay whose streams come in pieces of so many bytes. */
function answering(text: string, size: number) {
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  return createRelay({ url: "http://relay.test", token: "t", fetch });
}

async function chunks(text: string, size = 7): Promise<number> {
  let count = 0;
  for await (const chunk of streamChat(answering(text, size), { model: "m", messages: [] })) count += chunk.choices.length;
  return count;
}

test("whole streams, however they are cut up", async () => {
  for (const size of [1, 2, 7, 1000]) {
    assert.equal(await chunks(`${hello}\n\n${hello}\n\ndata: [DONE]\n\n`, size), 2);
    assert.equal(await chunks(`: wait\r\n\r\nevent: x\r\n${hello}\r\n\r\ndata: [DONE]\r\n\r\n`, size), 1);
  }
});

test("streams that break off", async () => {
  await assert.rejects(chunks(`${hello}\n\n`), Cut);
  await assert.rejects(chunks(`${hello}\n\n${hello}`), Cut);
  await assert.rejects(chunks(`data: {\n\n`), SyntaxError);
  const failed = 'data: {"error":{"message":"broke","type":"t","param":null,"code":"upstream_error"}}';
  await assert.rejects(chunks(`${hello}\n\n${failed}\n\n`), (error) => error instanceof Refusal && error.code === "upstream_error");
});

test("nothing is read after the last event of a response", async () => {
  const kinds: string[] = [];
  const text = 'data: {"type":"response.created"}\n\ndata: {"type":"response.failed"}\n\ndata: {\n\n';
  for await (const event of streamResponse(answering(text, 5), { model: "m", input: "" })) kinds.push(event.type);
  assert.deepEqual(kinds, ["response.created", "response.failed"]);
});
