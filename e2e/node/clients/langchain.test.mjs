// LangChain, unmodified, on every type of channel, through the chat API and the responses API.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { answers } from '../answers.mjs';
import { apiKey, baseURL, image, question, simulated, textFrom, channels } from '../channels.mjs';

const report = z.object({ city: z.string(), degrees: z.number() });
const weather = tool(async () => '18 degrees', { name: 'weather', description: 'The weather of a city', schema: z.object({ city: z.string() }) });

for (const useResponsesApi of [false, true]) {
  const chatOn = (model) => new ChatOpenAI({ model, apiKey, useResponsesApi, maxRetries: 0, configuration: { baseURL } });

  describe(useResponsesApi ? 'responses' : 'chat', () => {
    for (const { name, model } of channels) {
      const chat = chatOn(model);

      test(`${name}: invoke`, async () => {
        const got = await chat.invoke([new SystemMessage('Be brief.'), new HumanMessage(question)]);
        assert.equal(got.text, textFrom({ name }));
        assert.ok(got.usage_metadata.input_tokens > 0 && got.usage_metadata.output_tokens > 0);
      });

      test(`${name}: stream`, async () => {
        let all;
        for await (const chunk of await chat.stream(question)) all = all ? all.concat(chunk) : chunk;
        assert.equal(all.text, textFrom({ name }));
        assert.ok(all.usage_metadata.output_tokens > 0);
      });
    }

    for (const { name, model } of simulated) {
      const chat = chatOn(model);

      test(`${name}: bindTools`, async () => {
        const bound = chat.bindTools([weather]);
        const messages = [new HumanMessage('What is the weather in Paris?')];
        const first = await bound.invoke(messages);
        assert.deepEqual(first.tool_calls.map(({ name, args }) => [name, args]), [['weather', { city: 'Paris' }]]);
        messages.push(first, await weather.invoke(first.tool_calls[0]));
        assert.equal((await bound.invoke(messages)).text, answers.afterTool);
      });

      test(`${name}: bindTools, streamed`, async () => {
        let all;
        for await (const chunk of await chat.bindTools([weather]).stream('What is the weather in Paris and Rome?')) all = all ? all.concat(chunk) : chunk;
        assert.deepEqual(all.tool_calls.map(({ args }) => args.city), ['Paris', 'Rome']);
        const results = all.tool_calls.map(({ id }) => new ToolMessage({ tool_call_id: id, content: '18 degrees' }));
        const last = await chat.bindTools([weather]).invoke([new HumanMessage('What is the weather in Paris and Rome?'), all, ...results]);
        assert.equal(last.text, answers.afterTool);
      });

      test(`${name}: withStructuredOutput`, async () => {
        assert.deepEqual(await chat.withStructuredOutput(report, { name: 'report' }).invoke('Give me a report.'), answers.report);
      });

      test(`${name}: picture`, async () => {
        const content = [{ type: 'text', text: 'What is in the picture?' }, { type: 'image_url', image_url: { url: image } }];
        assert.equal((await chat.invoke([new HumanMessage({ content })])).text, answers.picture);
      });
    }
  });
}
