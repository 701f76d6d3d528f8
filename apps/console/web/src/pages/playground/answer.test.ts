import { describe, expect, it } from "vitest";

import {
  chatAnswer,
  failureOf,
  noAnswer,
  responsesAnswer,
  withChatChunk,
  withResponsesEvent,
  type Answer,
} from "./answer";

const readChat = (...chunks: unknown[]) => chunks.reduce<Answer>(withChatChunk, noAnswer);
const readResponses = (...events: unknown[]) => events.reduce<Answer>(withResponsesEvent, noAnswer);
const delta = (of: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: of, finish_reason }],
});

describe("a chat stream", () => {
  it("is combined into text, finish reason and usage", () => {
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
      quota: "0.000123",
    };
    expect(
      readChat(
        delta({ role: "assistant", content: "" }),
        delta({ content: "Hel" }),
        delta({ content: "lo" }),
        delta({}, "stop"),
        { choices: [], usage },
      ),
    ).toEqual({
      ...noAnswer,
      text: "Hello",
      finish: "stop",
      usage: { input: 12, cached: 4, output: 5, reasoning: 2, quota: "0.000123" },
    });
  });

  it("joins the pieces of parallel calls by their index", () => {
    const piece = (index: number, of: object, id?: string) =>
      delta({ tool_calls: [{ index, ...(id && { id }), function: of }] });
    const answer = readChat(
      piece(0, { name: "a", arguments: "" }, "call_0"),
      piece(1, { name: "b", arguments: '{"x"' }, "call_1"),
      piece(0, { arguments: "{}" }),
      piece(1, { arguments: ":1}" }),
    );
    expect(answer.calls).toEqual([
      { id: "call_0", name: "a", arguments: "{}" },
      { id: "call_1", name: "b", arguments: '{"x":1}' },
    ]);
  });

  it("returns the error that ends the stream", () =>
    expect(
      readChat(delta({ content: "Half" }), {
        error: { message: "cut", type: "upstream_error", param: null, code: "upstream_error" },
      }),
    ).toMatchObject({ text: "Half", failure: { message: "cut", code: "upstream_error", param: undefined } }));

  it.each([null, 1, "x", [], {}, { choices: [null] }, { choices: [{ delta: { content: 4, tool_calls: "no" } }] }])(
    "ignores the malformed chunk %j",
    (chunk) => expect(readChat(chunk)).toEqual(noAnswer),
  );
});

describe("a responses stream", () => {
  it("is combined into text, reasoning, calls and usage", () => {
    const call = { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" };
    const answer = readResponses(
      { type: "response.created", response: {} },
      { type: "response.reasoning_summary_text.delta", delta: "Think." },
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      { type: "response.output_item.done", item: call },
      {
        type: "response.completed",
        response: { status: "completed", output: [call], usage: { input_tokens: 3, output_tokens: 2, quota: "0.01" } },
      },
    );
    expect(answer).toEqual({
      text: "Hello",
      reasoning: "Think.",
      calls: [{ id: "call_1", name: "f", arguments: "{}" }],
      finish: "completed",
      usage: { input: 3, cached: 0, output: 2, reasoning: 0, quota: "0.01" },
      failure: undefined,
    });
  });

  it("returns the reason of an incomplete response", () =>
    expect(
      readResponses({
        type: "response.incomplete",
        response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      }).finish,
    ).toBe("max_output_tokens"));

  it.each([
    [{ type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "broke" } } }],
    [{ type: "error", code: "server_error", message: "broke", param: null }],
  ])("returns the failure in %j", (event) =>
    expect(readResponses(event).failure).toMatchObject({ code: "server_error", message: "broke" }),
  );
});

it("reads the same answer from complete bodies of both dialects", () => {
  const chat = chatAnswer({
    choices: [
      {
        message: { content: "Hi", tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] },
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  });
  const response = responsesAnswer({
    status: "stop",
    output: [
      { type: "message", content: [{ type: "output_text", text: "Hi" }] },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    ],
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  expect(response).toEqual(chat);
});

it("failureOf reads an error object and returns undefined without one", () => {
  expect(failureOf(undefined)).toBeUndefined();
  expect(failureOf({ message: "no", type: "t", code: "c", param: "model" }, 404)).toEqual({
    message: "no",
    type: "t",
    code: "c",
    param: "model",
    status: 404,
  });
});
