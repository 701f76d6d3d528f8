import { list, number, record, text } from "./json";

/**
 * A function call that the model requested. `arguments` is the JSON text as the model wrote it; it can be malformed.
 */
export interface ToolCall {
  id: string;
  name: string;
  arguments: string;
}

/** The tokens of a call. `cached` is part of `input`, and `reasoning` is part of `output`. */
export interface Usage {
  input: number;
  cached: number;
  output: number;
  reasoning: number;
  /** The charge in USD; undefined if the relay did not report it. */
  quota: string | undefined;
}

/** The error that the relay reported for a call. */
export interface Failure {
  message: string;
  type: string | undefined;
  code: string | undefined;
  param: string | undefined;
  /** The HTTP status; absent if the error came within a stream or without a response. */
  status?: number | undefined;
  /** What an upstream answered in place of an answer. Only operators see it. */
  detail?: string | undefined;
}

/** An answer, complete or as far as it has been received. It is the same for all dialects. */
export interface Answer {
  text: string;
  reasoning: string;
  calls: ToolCall[];
  /** The finish reason in the dialect's own word. */
  finish: string | undefined;
  usage: Usage | undefined;
  failure: Failure | undefined;
}

/** The answer before anything has been received. */
export const noAnswer: Answer = {
  text: "",
  reasoning: "",
  calls: [],
  finish: undefined,
  usage: undefined,
  failure: undefined,
};

/** Returns the failure in an `error` object of the relay; undefined without one. */
export function failureOf(error: unknown, status?: number): Failure | undefined {
  const { message, type, code, param } = record(error);
  if (typeof message !== "string") return undefined;
  return { message, type: text(type), code: text(code), param: text(param), ...(status && { status }) };
}

/** Returns the answer with one event of a chat completions stream added. */
export function withChatChunk(answer: Answer, chunk: unknown): Answer {
  const { choices, usage, error } = record(chunk);
  const choice = record(list(choices)[0]);
  const delta = record(choice["delta"]);
  return {
    text: answer.text + (text(delta["content"]) ?? "") + (text(delta["refusal"]) ?? ""),
    reasoning: answer.reasoning + (text(delta["reasoning_content"]) ?? text(delta["reasoning"]) ?? ""),
    calls: list(delta["tool_calls"]).reduce<ToolCall[]>(withCallPiece, answer.calls),
    finish: text(choice["finish_reason"]) ?? answer.finish,
    usage: chatUsage(usage) ?? answer.usage,
    failure: failureOf(error) ?? answer.failure,
  };
}

/** The maximum number of calls of one answer. It limits the memory that a faulty upstream can take. */
const mostCalls = 128;

/**
 * Returns the calls with one piece of a streamed call added. A piece names its call by index; without an index it
 * starts a new call. A piece that skips an index is dropped.
 */
function withCallPiece(calls: ToolCall[], piece: unknown): ToolCall[] {
  const { index, id, function: called } = record(piece);
  const at = number(index) ?? calls.length;
  if (at > calls.length || at >= mostCalls) return calls;
  const before = calls[at] ?? { id: "", name: "", arguments: "" };
  const { name, arguments: more } = record(called);
  return calls.toSpliced(at, 1, {
    id: text(id) ?? before.id,
    name: before.name || (text(name) ?? ""),
    arguments: before.arguments + (text(more) ?? ""),
  });
}

/** Returns the answer in a complete chat completion. */
export function chatAnswer(body: unknown): Answer {
  const { choices, usage } = record(body);
  const choice = record(list(choices)[0]);
  const message = record(choice["message"]);
  return {
    text: text(message["content"]) ?? text(message["refusal"]) ?? "",
    reasoning: text(message["reasoning_content"]) ?? text(message["reasoning"]) ?? "",
    calls: list(message["tool_calls"])
      .slice(0, mostCalls)
      .map((call) => {
        const { id, function: called } = record(call);
        const { name, arguments: given } = record(called);
        return { id: text(id) ?? "", name: text(name) ?? "", arguments: text(given) ?? "" };
      }),
    finish: text(choice["finish_reason"]),
    usage: chatUsage(usage),
    failure: undefined,
  };
}

function chatUsage(usage: unknown): Usage | undefined {
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details, quota } = record(usage);
  const input = number(prompt_tokens);
  if (input === undefined) return undefined;
  return {
    input,
    cached: number(record(prompt_tokens_details)["cached_tokens"]) ?? 0,
    output: number(completion_tokens) ?? 0,
    reasoning: number(record(completion_tokens_details)["reasoning_tokens"]) ?? 0,
    quota: text(quota),
  };
}

/** Returns the answer with one event of a responses stream added. Unknown events change nothing. */
export function withResponsesEvent(answer: Answer, event: unknown): Answer {
  const { type, delta, response, ...rest } = record(event);
  switch (type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return { ...answer, text: answer.text + (text(delta) ?? "") };
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return { ...answer, reasoning: answer.reasoning + (text(delta) ?? "") };
    case "response.output_item.done":
      return { ...answer, calls: [...answer.calls, ...functionCalls([rest["item"]])].slice(0, mostCalls) };
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
      return ended(answer, response);
    case "error":
      return { ...answer, failure: failureOf(rest) ?? failureOf(rest["error"]) };
  }
  return answer;
}

/**
 * Returns the answer of the complete response that the last event carries. Parts that were already streamed are kept;
 * the last event only fills in missing parts.
 */
function ended(answer: Answer, response: unknown): Answer {
  const whole = responsesAnswer(response);
  return {
    ...whole,
    text: answer.text || whole.text,
    reasoning: answer.reasoning || whole.reasoning,
    calls: answer.calls.length > 0 ? answer.calls : whole.calls,
  };
}

/** Returns the answer in a complete response. */
export function responsesAnswer(body: unknown): Answer {
  const { output, status, incomplete_details, usage, error } = record(body);
  const items = list(output).map(record);
  const parts = items
    .filter((item) => item["type"] === "message")
    .flatMap((item) => list(item["content"]))
    .map(record);
  const summaries = items
    .filter((item) => item["type"] === "reasoning")
    .flatMap((item) => list(item["summary"]))
    .map(record);
  return {
    text: parts.map((part) => text(part["text"]) ?? text(part["refusal"]) ?? "").join(""),
    reasoning: summaries.map((part) => text(part["text"]) ?? "").join("\n\n"),
    calls: functionCalls(items),
    finish: text(record(incomplete_details)["reason"]) ?? text(status),
    usage: responsesUsage(usage),
    failure: failureOf(error),
  };
}

function functionCalls(items: unknown[]): ToolCall[] {
  return items
    .map(record)
    .filter((item) => item["type"] === "function_call")
    .slice(0, mostCalls)
    .map((item) => ({
      id: text(item["call_id"]) ?? "",
      name: text(item["name"]) ?? "",
      arguments: text(item["arguments"]) ?? "",
    }));
}

function responsesUsage(usage: unknown): Usage | undefined {
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details, quota } = record(usage);
  const input = number(input_tokens);
  if (input === undefined) return undefined;
  return {
    input,
    cached: number(record(input_tokens_details)["cached_tokens"]) ?? 0,
    output: number(output_tokens) ?? 0,
    reasoning: number(record(output_tokens_details)["reasoning_tokens"]) ?? 0,
    quota: text(quota),
  };
}
