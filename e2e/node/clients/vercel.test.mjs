// Vercel's AI SDK, unmodified, on every type of channel, through the chat API and the responses API.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateObject, generateText, stepCountIs, streamObject, streamText, tool } from 'ai';
import { z } from 'zod';
import { answers } from '../answers.mjs';
import { apiKey, baseURL, image, native, question, simulated, textFrom, channels } from '../channels.mjs';

const openai = createOpenAI({ baseURL, apiKey });
const report = z.object({ city: z.string(), degrees: z.number() });

for (const [api, modelOf] of Object.entries({ chat: openai.chat, responses: openai.responses })) {
  describe(api, () => {
    for (const { name, model: id } of channels) {
      const model = modelOf(id);

      test(`${name}: generateText`, async () => {
        const got = await generateText({ model, system: 'Be brief.', prompt: question, maxRetries: 0 });
        assert.equal(got.text, textFrom({ name }));
        assert.equal(got.finishReason, 'stop');
        assert.ok(got.usage.inputTokens > 0 && got.usage.outputTokens > 0);
      });

      test(`${name}: streamText`, async () => {
        const got = streamText({ model, prompt: question, maxRetries: 0 });
        let text = '';
        for await (const piece of got.textStream) text += piece;
        assert.equal(text, textFrom({ name }));
        assert.ok((await got.usage).outputTokens > 0);
      });
    }

    for (const { name, model: id } of simulated) {
      const model = modelOf(id);
      const tools = () => {
        const cities = [];
        return [cities, { weather: tool({ description: 'The weather of a city', inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => { cities.push(city); return { degrees: 18 }; } }) }];
      };

      test(`${name}: tools in several steps`, async () => {
        const [cities, set] = tools();
        const got = await generateText({ model, prompt: 'What is the weather in Paris?', tools: set, stopWhen: stepCountIs(5), maxRetries: 0 });
        assert.equal(got.text, answers.afterTool);
        assert.equal(got.steps.length, 2);
        assert.deepEqual(cities, ['Paris']);
      });

      test(`${name}: parallel tools in several steps, streamed`, async () => {
        const [cities, set] = tools();
        const got = streamText({ model, prompt: 'What is the weather in Paris and Rome?', tools: set, stopWhen: stepCountIs(5), maxRetries: 0 });
        assert.equal(await got.text, answers.afterTool);
        assert.deepEqual(cities.sort(), ['Paris', 'Rome']);
      });

      test(`${name}: generateObject`, async () => {
        const got = await generateObject({ model, schema: report, prompt: 'Give me a report.', maxRetries: 0 });
        assert.deepEqual(got.object, answers.report);
      });

      test(`${name}: picture`, async () => {
        const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is in the picture?' }, { type: 'image', image }] }];
        const got = await generateText({ model, messages, maxRetries: 0 });
        assert.equal(got.text, answers.picture);
      });

      // In later turns the SDK sends the responses API only the ids of stored items.
      test(`${name}: conversation of stored items`, async () => {
        const [cities, set] = tools();
        const messages = [{ role: 'user', content: 'What is the weather in Paris?' }];
        const first = await generateText({ model, messages, tools: set, stopWhen: stepCountIs(5), maxRetries: 0 });
        messages.push(...first.response.messages, { role: 'user', content: 'Think: what is six times seven?' });
        const second = streamText({ model, messages, tools: set, providerOptions: { openai: { reasoningEffort: 'low' } }, maxRetries: 0 });
        assert.equal(await second.text, answers.thought);
        messages.push(...(await second.response).messages, { role: 'user', content: question });
        const third = await generateText({ model, messages, tools: set, maxRetries: 0 });
        assert.equal(third.text, answers.text);
        assert.deepEqual(cities, ['Paris']);
        if (api === 'responses') assert.equal(third.request.body.input.filter((item) => item.type === 'item_reference').length >= 4, true);
      });

      test(`${name}: reasoning is sent back with the next turn`, async () => {
        const messages = [{ role: 'user', content: 'Think: what is six times seven?' }];
        const providerOptions = { openai: { store: false, reasoningEffort: 'low', ...(api === 'responses' && { reasoningSummary: 'auto', include: ['reasoning.encrypted_content'] }) } };
        const first = streamText({ model, messages, providerOptions, maxRetries: 0 });
        assert.equal(await first.text, answers.thought);
        const { messages: reply } = await first.response;
        const second = await generateText({ model, messages: [...messages, ...reply, { role: 'user', content: question }], providerOptions, maxRetries: 0 });
        assert.equal(second.text, answers.text);
      });
    }
  });
}

// The provider for compatible servers, as it is without any setting: it asks for a JSON object without a schema.
describe('compatible', () => {
  const compatible = createOpenAICompatible({ name: 'tollgate', baseURL, apiKey });

  for (const { name, model: id } of simulated) {
    const model = compatible(id);
    const asked = { model, schema: report, prompt: 'Give me a report as JSON.', maxRetries: 0 };

    test(`${name}: streamText`, async () => {
      assert.equal(await streamText({ model, prompt: question, maxRetries: 0 }).text, answers.text);
    });

    test(`${name}: tools in several steps`, async () => {
      const weather = tool({ description: 'The weather of a city', inputSchema: z.object({ city: z.string() }), execute: async () => ({ degrees: 18 }) });
      const got = await generateText({ model, prompt: 'What is the weather in Paris?', tools: { weather }, stopWhen: stepCountIs(5), maxRetries: 0 });
      assert.equal(got.text, answers.afterTool);
    });

    test(`${name}: generateObject`, async () => {
      const got = await generateObject(asked);
      assert.deepEqual(JSON.parse(got.request.body).response_format, { type: 'json_object' });
      assert.deepEqual(got.object, answers.report);
      assert.equal(got.finishReason, 'stop');
    });

    test(`${name}: streamObject`, async () => {
      const got = streamObject(asked);
      for await (const part of got.partialObjectStream) assert.equal(typeof part, 'object');
      assert.deepEqual(await got.object, answers.report);
    });
  }
});

// The simulator does not support stop sequences, so only a channel on which the relay itself looks for them shows them.
describe('stop sequences', () => {
  const { model: id } = channels.find((channel) => !native(channel, 'chat') && native(channel, 'responses'));
  const asked = { model: openai.chat(id), prompt: question, stopSequences: ['!', 'er side'], maxRetries: 0 };
  const text = answers.text.slice(0, answers.text.indexOf('er side'));

  test('generateText', async () => {
    const got = await generateText(asked);
    assert.deepEqual([got.text, got.finishReason], [text, 'stop']);
    assert.ok(got.usage.outputTokens > 0);
  });

  test('streamText', async () => {
    const got = streamText(asked);
    assert.deepEqual([await got.text, await got.finishReason], [text, 'stop']);
    assert.ok((await got.usage).outputTokens > 0);
  });
});

describe('tools that OpenAI runs', () => {
  const tools = { search: openai.tools.webSearch({}) };

  for (const { name, model: id, dialects } of simulated) {
    const model = openai.responses(id);

    test(`${name}: optional`, async () => {
      const got = await generateText({ model, prompt: question, tools, maxRetries: 0 });
      assert.equal(got.text, answers.text);
      assert.equal(got.response.headers['x-tollgate-ignored-fields'], native({ dialects }, 'responses') ? undefined : 'tools[0]');
    });

    if (native({ dialects }, 'responses')) continue;

    test(`${name}: required`, async () => {
      await assert.rejects(generateText({ model, prompt: question, tools, toolChoice: 'required', maxRetries: 0 }), (error) => {
        assert.ok(APICallError.isInstance(error), String(error));
        assert.deepEqual([error.statusCode, error.data.error.code, error.data.error.param], [400, 'unsupported_parameter', 'tools[0]']);
        return true;
      });
    });
  }
});
