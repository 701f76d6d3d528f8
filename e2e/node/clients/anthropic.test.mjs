// The official Anthropic SDK, unmodified, on every type of channel.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { answers } from '../answers.mjs';
import { apiKey, channels, image, native, question, simulated, textFrom } from '../channels.mjs';

const client = new Anthropic({ baseURL: process.env.TOLLGATE_URL, apiKey, maxRetries: 0 });
const userSays = (content) => [{ role: 'user', content }];
const tools = [{ name: 'weather', description: 'The weather of a city', input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }];
const textOf = (message) => message.content.filter((block) => block.type === 'text').map((block) => block.text).join('');
const callsIn = (message) => message.content.filter((block) => block.type === 'tool_use');
const max_tokens = 1000;

// refusal asserts that the relay refuses a request with an error of the type, and returns the error.
async function refusal(request, status, type) {
  try {
    await request;
  } catch (error) {
    assert.equal(error.status, status, String(error));
    assert.equal(error.error.type, 'error');
    assert.equal(error.error.error.type, type);
    assert.ok(error.requestID);
    return error;
  }
  assert.fail('the request was not refused');
}

describe('messages', () => {
  for (const { name, model, ...channel } of channels) {
    test(`${name}: text`, async () => {
      const got = await client.messages.create({ model, max_tokens, system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }], messages: userSays(question), metadata: { user_id: 'u'.repeat(100) } });
      assert.equal(textOf(got), textFrom({ name }));
      assert.equal(got.stop_reason, 'end_turn');
      assert.equal(got.role, 'assistant');
      assert.ok(got._request_id);
      if (!native(channel, 'messages')) assert.equal(got.model, model);
      assert.ok(got.usage.input_tokens > 0 && got.usage.output_tokens > 0);
    });

    test(`${name}: stream`, async () => {
      const stream = client.messages.stream({ model, max_tokens, messages: userSays(question) });
      let text = '';
      stream.on('text', (piece) => { text += piece; });
      const got = await stream.finalMessage();
      assert.equal(text, textFrom({ name }));
      assert.equal(textOf(got), text);
      assert.equal(got.stop_reason, 'end_turn');
      assert.ok(got.usage.input_tokens > 0 && got.usage.output_tokens > 0);
    });

    test(`${name}: count_tokens`, async () => {
      const ask = (more) => client.messages.countTokens({ model, messages: userSays(question), ...more });
      const plain = await ask({});
      assert.ok(plain.input_tokens > 0);
      if (!native(channel, 'messages')) assert.ok((await ask({ tools, system: 'Be brief.' })).input_tokens > plain.input_tokens);
    });

    test(`${name}: parameters that only the dialect messages has`, async () => {
      const request = client.messages.create({ model, max_tokens, messages: userSays(question), inference_geo: 'us' });
      if (native(channel, 'messages')) return assert.ok(await request);
      const error = await refusal(request, 400, 'invalid_request_error');
      assert.match(error.error.error.message, /'inference_geo'/);
    });
  }

  for (const { name, model } of simulated) {
    test(`${name}: tools`, async () => {
      const messages = userSays('What is the weather in Paris?');
      const first = await client.messages.create({ model, max_tokens, messages, tools, tool_choice: { type: 'auto' } });
      const [call] = callsIn(first);
      assert.equal(first.stop_reason, 'tool_use');
      assert.equal(textOf(first), answers.lookingUp);
      assert.deepEqual([call.name, call.input], ['weather', { city: 'Paris' }]);
      messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: '18 degrees' }] });
      const second = await client.messages.create({ model, max_tokens, messages, tools });
      assert.equal(textOf(second), answers.afterTool);
    });

    test(`${name}: parallel tools, streamed`, async () => {
      const messages = userSays('What is the weather in Paris and Rome?');
      const first = await client.messages.stream({ model, max_tokens, messages, tools }).finalMessage();
      const calls = callsIn(first);
      assert.deepEqual(calls.map((call) => call.input.city), ['Paris', 'Rome']);
      messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: [{ type: 'text', text: '18 degrees' }] })) });
      const second = await client.messages.stream({ model, max_tokens, messages, tools }).finalMessage();
      assert.equal(textOf(second), answers.afterTool);
    });

    test(`${name}: picture`, async () => {
      const data = image.slice(image.indexOf(',') + 1);
      const content = [{ type: 'text', text: 'What is in the picture?' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }];
      const got = await client.messages.create({ model, max_tokens, messages: userSays(content) });
      assert.equal(textOf(got), answers.picture);
    });
  }

  test('models, in pages', async () => {
    const ids = [];
    for await (const model of client.models.list({ limit: 3 })) {
      assert.equal(model.type, 'model');
      assert.ok(model.display_name && !Number.isNaN(Date.parse(model.created_at)));
      ids.push(model.id);
    }
    for (const { model } of channels) assert.ok(ids.includes(model), model);
    assert.equal((await client.models.retrieve(channels[0].model)).id, channels[0].model);
  });

  test('errors', async () => {
    const ask = (more) => client.messages.create({ model: channels[0].model, max_tokens, messages: userSays(question), ...more });
    await refusal(ask({ model: 'unknown' }), 404, 'not_found_error');
    await refusal(ask({ max_tokens: 'many' }), 400, 'invalid_request_error');
    const stranger = new Anthropic({ baseURL: process.env.TOLLGATE_URL, apiKey: 'nobody', maxRetries: 0 });
    await refusal(stranger.messages.create({ model: channels[0].model, max_tokens, messages: userSays(question) }), 401, 'authentication_error');
    const bearer = new Anthropic({ baseURL: process.env.TOLLGATE_URL, apiKey: null, authToken: apiKey, maxRetries: 0 });
    assert.ok(await bearer.messages.create({ model: channels[0].model, max_tokens, messages: userSays(question) }));
  });
});
