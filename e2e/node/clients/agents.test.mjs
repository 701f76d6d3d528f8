// OpenAI's Agents SDK, unmodified, on every type of channel, through the chat API and the responses API.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import { answers } from '../answers.mjs';
import { apiKey, baseURL, question, simulated, textFrom, channels } from '../channels.mjs';

const weather = tool({ name: 'weather', description: 'The weather of a city', parameters: z.object({ city: z.string() }), execute: async () => '18 degrees' });
const report = z.object({ city: z.string(), degrees: z.number() });

for (const useResponses of [false, true]) {
  const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL, apiKey, useResponses }), tracingDisabled: true });

  describe(useResponses ? 'responses' : 'chat', () => {
    for (const { name, model } of channels) {
      test(`${name}: agent`, async () => {
        const got = await runner.run(new Agent({ name: 'greeter', instructions: 'Be brief.', model }), question);
        assert.equal(got.finalOutput, textFrom({ name }));
      });
    }

    for (const { name, model } of simulated) {
      const agent = new Agent({ name: 'forecaster', instructions: 'Use your tool.', model, tools: [weather] });

      test(`${name}: agent with a tool`, async () => {
        const got = await runner.run(agent, 'What is the weather in Paris?');
        assert.equal(got.finalOutput, answers.afterTool);
      });

      test(`${name}: agent with a tool, streamed`, async () => {
        const got = await runner.run(agent, 'What is the weather in Paris and Rome?', { stream: true });
        let text = '';
        for await (const piece of got.toTextStream()) text += piece;
        await got.completed;
        assert.ok(text.endsWith(answers.afterTool), text);
      });

      test(`${name}: agent with a typed answer`, async () => {
        const got = await runner.run(new Agent({ name: 'reporter', model, outputType: report }), 'Give me a report.');
        assert.deepEqual(got.finalOutput, answers.report);
      });

      test(`${name}: second question in a conversation`, async () => {
        const first = await runner.run(agent, 'What is the weather in Paris?');
        const second = await runner.run(agent, [...first.history, { role: 'user', content: question }]);
        assert.equal(second.finalOutput, answers.text);
      });
    }
  });
}
