import { describe, expect, it } from "vitest";

import type { Turn } from "./conversation";
import { requestOf } from "./request";
import { defaults } from "./settings";
import { exampleTools } from "./tools";

const answer = { role: "assistant", reasoning: "", finish: "stop", state: "done", failure: undefined, receipt: undefined } as const;
const turns: Turn[] = [
  { id: "1", role: "user", text: "Weather?" },
  { id: "2", ...answer, text: "", calls: [{ id: "call_1", name: "get_weather", arguments: '{"city":"Bonn"}' }] },
  { id: "3", role: "tool", callId: "call_1", name: "get_weather", text: "rain" },
  { id: "4", ...answer, text: "Rain.", calls: [] },
  { id: "5", ...answer, text: "", calls: [] },
  { id: "6", role: "user", text: "Thanks" },
];
const settings = { ...defaults, model: "echo-1", system: "Be brief.", temperature: 0.5, maxTokens: 100, tools: exampleTools };

it("builds a request of the chat completions API", () => {
  const { path, body } = requestOf({ ...settings, stop: ["END"], seed: 0, reasoning: "low", format: "json_object" }, turns);
  expect(path).toBe("/chat/completions");
  expect(body).toEqual({
    model: "echo-1",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather?" },
      { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Bonn"}' } }] },
      { role: "tool", tool_call_id: "call_1", content: "rain" },
      { role: "assistant", content: "Rain." },
      { role: "user", content: "Thanks" },
    ],
    temperature: 0.5,
    max_completion_tokens: 100,
    stop: ["END"],
    seed: 0,
    reasoning_effort: "low",
    response_format: { type: "json_object" },
    tools: [{ type: "function", function: expect.objectContaining({ name: "get_weather" }) }],
    stream: true,
    stream_options: { include_usage: true },
  });
});

it("builds a request of the responses API", () => {
  const { path, body } = requestOf({ ...settings, endpoint: "responses", stream: false, reasoning: "high", format: "json_schema", schema: '{"type":"object"}' }, turns);
  expect(path).toBe("/responses");
  expect(body).toEqual({
    model: "echo-1",
    instructions: "Be brief.",
    input: [
      { role: "user", content: "Weather?" },
      { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Bonn"}' },
      { type: "function_call_output", call_id: "call_1", output: "rain" },
      { role: "assistant", content: "Rain." },
      { role: "user", content: "Thanks" },
    ],
    temperature: 0.5,
    max_output_tokens: 100,
    reasoning: { effort: "high" },
    text: { format: { type: "json_schema", name: "answer", schema: { type: "object" }, strict: true } },
    tools: [expect.objectContaining({ type: "function", name: "get_weather" })],
    store: false,
  });
});

describe("an empty setting", () => {
  it("is not sent", () => {
    const { body } = requestOf({ ...defaults, model: "m", stream: false }, [{ id: "1", role: "user", text: "Hi" }]);
    expect(body).toEqual({ model: "m", messages: [{ role: "user", content: "Hi" }] });
  });
});
