// The official OpenAI SDK, unmodified, on every type of channel.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { answers } from '../answers.mjs';
import { apiKey, baseURL, image, native, question, refuses, simulated, textFrom, channels } from '../channels.mjs';

const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
const report = z.object({ city: z.string(), degrees: z.number() });
const userSays = (content) => [{ role: 'user', content }];

describe('chat', () => {
  const tools = [{ type: 'function', function: { name: 'weather', description: 'The weather of a city', parameters, strict: true } }];

  for (const { name, model, ...channel } of channels) {
    test(`${name}: text`, async () => {
      const got = await client.chat.completions.create({ model, messages: [{ role: 'system', content: 'Be brief.' }, ...userSays(question)] });
      assert.equal(got.choices[0].message.content, textFrom({ name }));
      assert.equal(got.choices[0].finish_reason, 'stop');
      if (!native(channel, 'chat')) assert.equal(got.model, model);
      assert.ok(got.usage.prompt_tokens > 0 && got.usage.completion_tokens > 0);
    });

    test(`${name}: stream`, async () => {
      let text = '';
      let usage;
      for await (const chunk of await client.chat.completions.create({ model, messages: userSays(question), stream: true, stream_options: { include_usage: true } })) {
        text += chunk.choices[0]?.delta.content ?? '';
        usage = chunk.usage ?? usage;
        if (!native(channel, 'chat')) assert.equal(chunk.model, model);
      }
      assert.equal(text, textFrom({ name }));
      assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0);
    });

    test(`${name}: parameters that only the chat dialect has`, async () => {
      const ask = (more) => client.chat.completions.create({ model, messages: userSays(question), ...more });
      if (native(channel, 'chat')) return assert.ok(await ask({ logit_bias: { 50256: -100 } }));
      await refuses(ask({ logit_bias: { 50256: -100 } }), 'logit_bias');
      await refuses(ask({ logprobs: true }), 'logprobs');
      await refuses(ask({ n: 2 }), 'n');
    });
  }

  for (const { name, model } of simulated) {
    test(`${name}: tools`, async () => {
      const messages = userSays('What is the weather in Paris?');
      const first = await client.chat.completions.create({ model, messages, tools, tool_choice: 'auto' });
      const [call] = first.choices[0].message.tool_calls;
      assert.equal(first.choices[0].finish_reason, 'tool_calls');
      assert.equal(first.choices[0].message.content, answers.lookingUp);
      assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ['weather', { city: 'Paris' }]);
      messages.push(first.choices[0].message, { role: 'tool', tool_call_id: call.id, content: '18 degrees' });
      const second = await client.chat.completions.create({ model, messages, tools });
      assert.equal(second.choices[0].message.content, answers.afterTool);
    });

    test(`${name}: parallel tools, streamed and run by the SDK`, async () => {
      const cities = [];
      const weather = { ...tools[0].function, parse: JSON.parse, function: ({ city }) => { cities.push(city); return '18 degrees'; } };
      const runner = client.chat.completions.runTools({ model, messages: userSays('What is the weather in Paris and Rome?'), tools: [{ type: 'function', function: weather }], stream: true });
      assert.equal(await runner.finalContent(), answers.afterTool);
      assert.deepEqual(cities, ['Paris', 'Rome']);
    });

    test(`${name}: structured output`, async () => {
      const got = await client.chat.completions.parse({ model, messages: userSays('Give me a report.'), response_format: zodResponseFormat(report, 'report') });
      assert.deepEqual(got.choices[0].message.parsed, answers.report);
    });

    test(`${name}: picture`, async () => {
      const content = [{ type: 'text', text: 'What is in the picture?' }, { type: 'image_url', image_url: { url: image } }];
      const got = await client.chat.completions.create({ model, messages: userSays(content) });
      assert.equal(got.choices[0].message.content, answers.picture);
    });

    test(`${name}: long stream`, async () => {
      const done = await client.chat.completions.stream({ model, messages: userSays('Count to 400.') }).finalChatCompletion();
      assert.equal(done.choices[0].message.content, answers.count);
    });

    test(`${name}: answer that reaches its output limit`, async () => {
      const got = await client.chat.completions.create({ model, messages: userSays('Cut this short.'), max_completion_tokens: 16 });
      assert.equal(got.choices[0].finish_reason, 'length');
    });

    test(`${name}: reasoning`, async () => {
      const got = await client.chat.completions.create({ model, messages: userSays('Think: what is six times seven?'), reasoning_effort: 'low' });
      assert.equal(got.choices[0].message.content, answers.thought);
    });
  }
});

describe('responses', () => {
  const tools = [{ type: 'function', name: 'weather', description: 'The weather of a city', parameters, strict: true }];

  for (const { name, model, ...channel } of channels) {
    test(`${name}: text`, async () => {
      const got = await client.responses.create({ model, instructions: 'Be brief.', input: question });
      assert.equal(got.output_text, textFrom({ name }));
      assert.equal(got.status, 'completed');
      if (!native(channel, 'responses')) assert.equal(got.model, model);
      assert.ok(got.usage.input_tokens > 0 && got.usage.output_tokens > 0);
    });

    test(`${name}: stream`, async () => {
      let text = '';
      let last;
      for await (const event of await client.responses.create({ model, input: userSays(question), stream: true })) {
        if (event.type === 'response.output_text.delta') text += event.delta;
        last = event;
      }
      assert.equal(text, textFrom({ name }));
      assert.equal(last.type, 'response.completed');
      if (!native(channel, 'responses')) assert.equal(last.response.model, model);
      assert.ok(last.response.usage.input_tokens > 0 && last.response.usage.output_tokens > 0);
    });

    test(`${name}: several turns with repeated items`, async () => {
      const input = userSays(question);
      const first = await client.responses.create({ model, input, store: false });
      input.push(...first.output, ...userSays(question));
      const second = await client.responses.create({ model, input, store: false });
      assert.equal(second.output_text, textFrom({ name }));
    });

    test(`${name}: parameters that only the responses dialect has`, async () => {
      const ask = (more) => client.responses.create({ model, input: question, ...more });
      const search = { tools: [{ type: 'web_search' }] };
      const { response } = await ask(search).withResponse();
      assert.equal(response.headers.get('x-tollgate-ignored-fields'), native(channel, 'responses') ? null : 'tools[0]');
      if (native(channel, 'responses')) return;
      await refuses(ask({ ...search, tool_choice: 'required' }), 'tools[0]');
      await refuses(ask({ background: true }), 'background');
    });
  }

  for (const { name, model } of simulated) {
    test(`${name}: tools`, async () => {
      const input = userSays('What is the weather in Paris?');
      const first = await client.responses.create({ model, input, tools });
      const call = first.output.find((item) => item.type === 'function_call');
      assert.deepEqual([call.name, JSON.parse(call.arguments)], ['weather', { city: 'Paris' }]);
      input.push(...first.output, { type: 'function_call_output', call_id: call.call_id, output: '18 degrees' });
      const second = await client.responses.create({ model, input, tools });
      assert.equal(second.output_text, answers.afterTool);
    });

    test(`${name}: parallel tools, streamed`, async () => {
      const done = await client.responses.stream({ model, input: 'What is the weather in Paris and Rome?', tools, parallel_tool_calls: true }).finalResponse();
      const calls = done.output.filter((item) => item.type === 'function_call');
      assert.deepEqual(calls.map((call) => JSON.parse(call.arguments).city), ['Paris', 'Rome']);
      assert.notEqual(calls[0].call_id, calls[1].call_id);
    });

    test(`${name}: structured output`, async () => {
      const got = await client.responses.parse({ model, input: 'Give me a report.', text: { format: zodTextFormat(report, 'report') } });
      assert.deepEqual(got.output_parsed, answers.report);
    });

    test(`${name}: picture`, async () => {
      const content = [{ type: 'input_text', text: 'What is in the picture?' }, { type: 'input_image', image_url: image, detail: 'auto' }];
      const got = await client.responses.create({ model, input: userSays(content) });
      assert.equal(got.output_text, answers.picture);
    });

    test(`${name}: long stream`, async () => {
      const done = await client.responses.stream({ model, input: 'Count to 400.' }).finalResponse();
      assert.equal(done.output_text, answers.count);
    });

    test(`${name}: answer that reaches its output limit`, async () => {
      const got = await client.responses.create({ model, input: 'Cut this short.', max_output_tokens: 16 });
      assert.equal(got.status, 'incomplete');
    });

    test(`${name}: reasoning`, async () => {
      const stream = client.responses.stream({ model, input: 'Think: what is six times seven?', reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] });
      const done = await stream.finalResponse();
      assert.equal(done.output_text, answers.thought);
    });
  }
});
