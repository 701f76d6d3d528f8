import { describe, expect, it } from "vitest";

import type { Turn } from "./conversation";
import { requestOf } from "./request";
import { defaults } from "./settings";
import { exampleTools } from "./tools";

const answer = {
  role: "assistant",
  reasoning: "",
  finish: "stop",
  state: "done",
  failure: undefined,
  receipt: undefined,
} as const;
const turns: Turn[] = [
  { id: "1", role: "user", text: "Weather?" },
  { id: "2", ...answer, text: "", calls: [{ id: "call_1", name: "get_weather", arguments: '{"city":"Bonn"}' }] },
  { id: "3", role: "tool", callId: "call_1", name: "get_weather", text: "rain" },
  { id: "4", ...answer, text: "Rain.", calls: [] },
  { id: "5", ...answer, text: "", calls: [] },
  { id: "6", role: "user", text: "Thanks" },
];
const settings = {
  ...defaults,
  model: "echo-1",
  system: "Be brief.",
  temperature: 0.5,
  maxTokens: 100,
  tools: exampleTools,
};

it("builds a request of the chat completions API", () => {
  const { path, body } = requestOf(
    { ...settings, stop: ["END"], seed: 0, reasoning: "low", format: "json_object" },
    turns,
  );
  expect(path).toBe("/chat/completions");
  expect(body).toEqual({
    model: "echo-1",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Bonn"}' } },
        ],
      },
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
  const { path, body } = requestOf(
    {
      ...settings,
      endpoint: "responses",
      stream: false,
      reasoning: "high",
      format: "json_schema",
      schema: '{"type":"object"}',
    },
    turns,
  );
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
    reasoning: { effort: "high", summary: "auto" },
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

describe("images and files", () => {
  const image = {
    id: "i",
    name: "dot.png",
    kind: "image",
    type: "image/png",
    data: "data:image/png;base64,AA==",
  } as const;
  const pdf = {
    id: "p",
    name: "bill.pdf",
    kind: "pdf",
    type: "application/pdf",
    data: "data:application/pdf;base64,AA==",
  } as const;
  const voice = { id: "v", name: "hi.wav", kind: "audio", type: "audio/x-wav", data: "AA==" } as const;
  const song = { id: "s", name: "hi.mp3", kind: "audio", type: "audio/mpeg", data: "AQ==" } as const;
  const heard = [
    { type: "input_audio", input_audio: { data: "AA==", format: "wav" } },
    { type: "input_audio", input_audio: { data: "AQ==", format: "mp3" } },
  ];
  const notes = { id: "n", name: "a.txt", kind: "text", type: "text/plain", data: "one" } as const;
  const asked: Turn[] = [
    { id: "1", role: "user", text: "What is this?", attachments: [image, voice, song, pdf, notes] },
  ];
  const named = '<file name="a.txt">\none\n</file>';

  it("are parts of a chat message", () => {
    expect(requestOf({ ...defaults, model: "m" }, asked).body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: image.data } },
          ...heard,
          { type: "file", file: { filename: "bill.pdf", file_data: pdf.data } },
          { type: "text", text: named },
        ],
      },
    ]);
  });

  it("are parts of the input of a response", () => {
    expect(requestOf({ ...defaults, model: "m", endpoint: "responses" }, asked).body["input"]).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: image.data, detail: "auto" },
          ...heard,
          { type: "input_file", filename: "bill.pdf", file_data: pdf.data },
          { type: "input_text", text: named },
        ],
      },
    ]);
  });

  it("that were not kept are not sent", () => {
    const gone = { ...image, data: "" };
    const { body } = requestOf({ ...defaults, model: "m" }, [
      { id: "1", role: "user", text: "", attachments: [gone] },
      { id: "2", role: "user", text: "And this?", attachments: [gone] },
    ]);
    expect(body["messages"]).toEqual([{ role: "user", content: "And this?" }]);
  });
});

it("sends the choice of functions only with functions", () => {
  expect(requestOf({ ...defaults, model: "m", toolChoice: "required" }, []).body).not.toHaveProperty("tool_choice");
  expect(
    requestOf({ ...defaults, model: "m", toolChoice: "required", tools: exampleTools }, []).body["tool_choice"],
  ).toBe("required");
});

it("asks for no summary of a reasoning that is off", () => {
  expect(requestOf({ ...defaults, endpoint: "responses", reasoning: "none" }, []).body["reasoning"]).toEqual({
    effort: "none",
  });
});
