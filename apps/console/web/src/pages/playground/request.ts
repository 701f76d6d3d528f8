import type { AssistantTurn, Turn } from "./conversation";
import { parse } from "./json";
import type { Settings } from "./settings";
import { parseTools, type Tool } from "./tools";

/** The request to send: the path below /v1, and the body. */
export interface ModelRequest {
  path: "/chat/completions" | "/responses";
  body: Record<string, unknown>;
}

/** Builds the request for the next answer. Empty settings and malformed tools or schemas are not sent. */
export function requestOf(settings: Settings, turns: readonly Turn[]): ModelRequest {
  return settings.endpoint === "chat"
    ? { path: "/chat/completions", body: chatBody(settings, turns) }
    : { path: "/responses", body: responsesBody(settings, turns) };
}

/** Drops undefined values, empty texts and empty lists. */
const withoutEmptySettings = (body: Record<string, unknown>) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0)));

function chatBody(s: Settings, turns: readonly Turn[]): Record<string, unknown> {
  return withoutEmptySettings({
    model: s.model,
    messages: [...(s.system.trim() ? [{ role: "system", content: s.system }] : []), ...withoutEmptyAnswers(turns).map(chatMessage)],
    temperature: s.temperature,
    top_p: s.topP,
    max_completion_tokens: s.maxTokens,
    stop: s.stop,
    seed: s.seed,
    reasoning_effort: s.reasoning,
    response_format: chatFormat(s),
    tools: toolsOf(s)?.map((tool) => ({ type: "function", function: tool })),
    stream: s.stream || undefined,
    stream_options: s.stream ? { include_usage: true } : undefined,
  });
}

function responsesBody(s: Settings, turns: readonly Turn[]): Record<string, unknown> {
  const format = responsesFormat(s);
  return withoutEmptySettings({
    model: s.model,
    instructions: s.system.trim() ? s.system : undefined,
    input: withoutEmptyAnswers(turns).flatMap(responsesItems),
    temperature: s.temperature,
    top_p: s.topP,
    max_output_tokens: s.maxTokens,
    reasoning: s.reasoning ? { effort: s.reasoning } : undefined,
    text: format && { format },
    tools: toolsOf(s)?.map((tool) => ({ type: "function", strict: false, ...tool })),
    // The playground keeps the conversation itself.
    store: false,
    stream: s.stream || undefined,
  });
}

/** Drops empty answers: a chat message without content and without tool calls is not valid. */
const withoutEmptyAnswers = (turns: readonly Turn[]) => turns.filter((turn) => turn.role !== "assistant" || turn.text !== "" || turn.calls.length > 0);

function chatMessage(turn: Turn): Record<string, unknown> {
  switch (turn.role) {
    case "user":
      return { role: "user", content: turn.text };
    case "tool":
      return { role: "tool", tool_call_id: turn.callId, content: turn.text };
    case "assistant":
      return { role: "assistant", content: turn.text || null, ...(turn.calls.length > 0 && { tool_calls: chatCalls(turn) }) };
  }
}

const chatCalls = (turn: AssistantTurn) => turn.calls.map((call) => ({ id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } }));

function responsesItems(turn: Turn): Record<string, unknown>[] {
  switch (turn.role) {
    case "user":
      return [{ role: "user", content: turn.text }];
    case "tool":
      return [{ type: "function_call_output", call_id: turn.callId, output: turn.text }];
    case "assistant":
      return [
        ...(turn.text ? [{ role: "assistant", content: turn.text }] : []),
        ...turn.calls.map((call) => ({ type: "function_call", call_id: call.id, name: call.name, arguments: call.arguments })),
      ];
  }
}

function toolsOf(s: Settings): Partial<Tool>[] | undefined {
  return parseTools(s.tools).tools?.map(({ name, description, parameters, strict }) => ({
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(strict !== undefined && { strict }),
  }));
}

function chatFormat(s: Settings): Record<string, unknown> | undefined {
  if (s.format === "json_object") return { type: "json_object" };
  if (s.format === "json_schema") return { type: "json_schema", json_schema: { name: "answer", schema: parse(s.schema), strict: true } };
  return undefined;
}

function responsesFormat(s: Settings): Record<string, unknown> | undefined {
  if (s.format === "json_object") return { type: "json_object" };
  if (s.format === "json_schema") return { type: "json_schema", name: "answer", schema: parse(s.schema), strict: true };
  return undefined;
}
