// The official OpenAI SDK for Node.js, unmodified, against a running relay. The Go test that runs this file
// sets TOLLGATE_URL, ACME_TOKEN, NARROW_TOKEN and BROKE_TOKEN.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';

const baseURL = process.env.TOLLGATE_URL + '/v1';
const client = new OpenAI({ baseURL, apiKey: process.env.ACME_TOKEN });
const answer = 'Hello from the upstream, where every answer is the same.';
const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello. usage:7/13/2/3' },
];
const hello = { model: 'gpt-4o-mini', messages };
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } };

test('chat', async () => {
  const { data, response, request_id } = await client.chat.completions.create(hello).withResponse();
  assert.equal(data.object, 'chat.completion');
  assert.equal(data.choices[0].message.content, answer);
  assert.equal(data.choices[0].finish_reason, 'stop');
  assert.equal(data.usage.prompt_tokens, 7);
  assert.equal(data.usage.prompt_tokens_details.cached_tokens, 2);
  assert.ok(request_id);
  assert.ok(response.headers.get('openai-processing-ms'));
  assert.match(response.headers.get('x-tollgate-quota'), /^0\.\d+$/);
});

test('stream', async () => {
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...hello, stream: true })) {
    assert.equal(chunk.choices.length, 1, 'a chunk without choices, although usage was not requested');
    text += chunk.choices[0].delta.content ?? '';
  }
  assert.equal(text, answer);
});

test('stream with usage', async () => {
  let last;
  const ids = new Set();
  for await (const chunk of await client.chat.completions.create({ ...hello, stream: true, stream_options: { include_usage: true } })) {
    last = chunk;
    ids.add(chunk.id);
  }
  assert.deepEqual(last.choices, []);
  assert.equal(last.usage.total_tokens, 20);
  assert.equal(ids.size, 1);
});

test('stream with the accumulating helper', async () => {
  const done = await client.chat.completions.stream(hello).finalChatCompletion();
  assert.equal(done.choices[0].message.content, answer);
});

test('tools', async () => {
  const first = await client.chat.completions.create({ ...hello, tools: [weather] });
  const call = first.choices[0].message.tool_calls[0];
  assert.equal(first.choices[0].finish_reason, 'tool_calls');
  assert.equal(JSON.parse(call.function.arguments).city, 'Paris');
  const second = await client.chat.completions.create({
    ...hello,
    tools: [weather],
    messages: [...messages, first.choices[0].message, { role: 'tool', tool_call_id: call.id, content: '18 degrees' }],
  });
  assert.equal(second.choices[0].message.content, answer);
});

test('structured output', async () => {
  const schema = { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'], additionalProperties: false };
  const got = await client.chat.completions.parse({ ...hello, response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } } });
  assert.equal(JSON.parse(got.choices[0].message.content).answer, 42);
});

test('multimodal parts and n', async () => {
  const got = await client.chat.completions.create({
    model: 'gpt-4o-mini',
    n: 2,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }] }],
  });
  assert.deepEqual(got.choices.map((c) => c.index), [0, 1]);
});

const asked = { model: 'gpt-4o-mini', input: 'Hello. usage:7/13/2/3' };

test('responses', async () => {
  const made = await client.responses.create(asked);
  assert.equal(made.output_text, answer);
  assert.equal(made.usage.input_tokens_details.cached_tokens, 2);
  const next = await client.responses.create({ ...asked, previous_response_id: made.id });
  assert.equal(next.previous_response_id, made.id);
  assert.equal((await client.responses.retrieve(next.id)).id, next.id);
  assert.equal((await client.responses.inputItems.list(next.id)).data.length, 1);
  await client.responses.delete(made.id);
  await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError);
});

test('responses: count, compact and resume', async () => {
  const counted = await client.responses.inputTokens.count({ model: 'gpt-4o-mini', input: 'Hello.' });
  assert.deepEqual([counted.object, counted.input_tokens], ['response.input_tokens', JSON.stringify('Hello.').length]);
  const made = await client.responses.create(asked);
  const compacted = await client.responses.compact({ model: 'gpt-4o-mini', previous_response_id: made.id });
  assert.equal(compacted.object, 'response.compaction');
  assert.deepEqual(compacted.output.map((item) => item.type), ['message', 'compaction']);
  const next = await client.responses.create({ ...asked, input: [...compacted.output, { role: 'user', content: 'Go on.' }] });
  assert.equal(next.status, 'completed');
  const events = [];
  for await (const event of await client.responses.retrieve(made.id, { stream: true, starting_after: 0 })) events.push(event);
  assert.deepEqual(events.map((e) => [e.type, e.sequence_number]), [['response.completed', 1]]);
  assert.equal(events[0].response.id, made.id);
});

test('responses stream', async () => {
  const events = [];
  for await (const event of await client.responses.create({ ...asked, stream: true })) events.push(event);
  assert.deepEqual(events.map((e) => e.sequence_number), events.map((_, i) => i));
  assert.equal(events[0].type, 'response.created');
  assert.equal(events.at(-1).type, 'response.completed');
  assert.equal(events[0].response.id, events.at(-1).response.id);
});

test('responses stream with the accumulating helper', async () => {
  const done = await client.responses.stream(asked).finalResponse();
  assert.equal(done.output_text, answer);
});

test('responses stream of an upstream that resets the connection', async () => {
  let last;
  for await (const event of await client.responses.create({ ...asked, model: 'odd-cut', stream: true })) last = event;
  assert.equal(last.type, 'response.failed');
  assert.equal(last.response.status, 'failed');
});

test('responses tools', async () => {
  const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object', properties: {} }, strict: false }];
  const first = await client.responses.create({ ...asked, tools });
  const call = first.output.find((item) => item.type === 'function_call');
  assert.equal(JSON.parse(call.arguments).city, 'Paris');
  const input = [{ type: 'function_call_output', call_id: call.call_id, output: '18 degrees' }];
  const second = await client.responses.create({ ...asked, tools, input, previous_response_id: first.id });
  assert.equal(second.output_text, answer);
});

test('a call that is repeated with its key gets the first answer', async () => {
  class KeyedOpenAI extends OpenAI {
    idempotencyHeader = 'Idempotency-Key';
  }
  const keyed = new KeyedOpenAI({ baseURL, apiKey: process.env.ACME_TOKEN });
  const options = { idempotencyKey: crypto.randomUUID() };
  const [first, again] = [await keyed.chat.completions.create(hello, options).withResponse(), await keyed.chat.completions.create(hello, options).withResponse()];
  assert.deepEqual(again.data, first.data);
  assert.equal(again.response.headers.get('idempotent-replayed'), 'true');
  assert.equal(again.response.headers.get('x-tollgate-original-request-id'), first.request_id);
  await assert.rejects(keyed.chat.completions.create({ ...hello, n: 2 }, options), (e) => e.status === 409 && e.code === 'idempotency_key_reused');
});

test('models', async () => {
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert.ok(ids.includes('gpt-4o-mini') && ids.includes('acme/llama-3:70b'));
  assert.equal((await client.models.retrieve('acme/llama-3:70b')).id, 'acme/llama-3:70b');
  const narrow = new OpenAI({ baseURL, apiKey: process.env.NARROW_TOKEN });
  assert.deepEqual((await narrow.models.list()).data.map((m) => m.id), ['gpt-4o-mini']);
});

const failures = [
  { name: 'wrong token', options: { apiKey: 'nobody-knows-this-token-1' }, model: 'gpt-4o-mini', type: OpenAI.AuthenticationError, code: 'invalid_api_key', param: null },
  { name: 'unknown model', options: {}, model: 'gpt-99', type: OpenAI.NotFoundError, code: 'model_not_found', param: 'model' },
  { name: 'no quota', options: { apiKey: process.env.BROKE_TOKEN }, model: 'gpt-4o-mini', type: OpenAI.RateLimitError, code: 'insufficient_quota', param: null },
  { name: 'upstream failed', options: { maxRetries: 0 }, model: 'only-500', type: OpenAI.InternalServerError, code: 'upstream_error', param: null },
];

for (const { name, options, model, type, code, param } of failures) {
  test(`error: ${name}`, async () => {
    let calls = 0;
    const counted = (...request) => {
      calls++;
      return fetch(...request);
    };
    const client = new OpenAI({ baseURL, apiKey: process.env.ACME_TOKEN, fetch: counted, ...options });
    await assert.rejects(client.chat.completions.create({ model, messages }), (error) => {
      assert.ok(error instanceof type, String(error));
      assert.equal(error.code, code);
      assert.equal(error.param, param);
      assert.ok(error.requestID);
      return true;
    });
    assert.equal(calls, 1, 'the SDK retried although the relay forbids it');
  });
}

test('error: missing messages', async () => {
  await assert.rejects(client.chat.completions.create({ model: 'gpt-4o-mini' }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError, String(error));
    assert.equal(error.code, 'missing_required_parameter');
    assert.equal(error.param, 'messages');
    return true;
  });
});

test('error after the stream has begun', async () => {
  const stream = await client.chat.completions.create({ model: 'odd-cut', messages, stream: true });
  await assert.rejects(async () => {
    for await (const chunk of stream) assert.ok(chunk.choices);
  }, OpenAI.APIError);
});

test('client that stops reading', async () => {
  const stream = await client.chat.completions.create({ ...hello, model: 'slow-stream', stream: true });
  for await (const chunk of stream) {
    assert.ok(chunk.id);
    break;
  }
});
