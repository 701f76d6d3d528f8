// The official OpenAI SDK with upstreams that fail, through the chat API and the responses API. The channels
// speak only the chat dialect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { apiKey, baseURL, question } from '../channels.mjs';

const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const messages = [{ role: 'user', content: question }];

for (const stream of [false, true]) {
  for (const [api, ask] of Object.entries({
    chat: (model) => client.chat.completions.create({ model, messages, stream }),
    responses: (model) => client.responses.create({ model, input: question, stream }),
  })) {
    test(`${api}: upstream error 500, ${stream ? 'streamed' : 'not streamed'}`, async () => {
      await assert.rejects(async () => ask('refused'), (error) => {
        assert.ok(error instanceof OpenAI.InternalServerError, String(error));
        assert.deepEqual([error.status, error.code], [502, 'upstream_error']);
        return true;
      });
    });
  }
}

for (const model of ['cut', 'failing']) {
  test(`chat: stream of an upstream with the fault "${model}"`, async () => {
    let text = '';
    await assert.rejects(async () => {
      for await (const chunk of await client.chat.completions.create({ model, messages, stream: true })) text += chunk.choices[0]?.delta.content ?? '';
    }, OpenAI.APIError);
    assert.ok(text, 'the text before the fault arrived');
  });

  test(`responses: stream of an upstream with the fault "${model}"`, async () => {
    const events = [];
    for await (const event of await client.responses.create({ model, input: question, stream: true })) events.push(event);
    assert.ok(events.some((event) => event.type === 'response.output_text.delta'), 'the text before the fault arrived');
    const last = events.at(-1);
    assert.equal(last.type, 'response.failed');
    assert.ok(last.response.error.code && last.response.error.message);
  });
}
