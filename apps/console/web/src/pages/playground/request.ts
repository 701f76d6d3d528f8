import { type Attachment, audioFormat } from "./attachments";
import type { AssistantTurn, Turn, UserTurn } from "./conversation";
import { parse } from "./json";
import type { Settings } from "./settings";
import { parseTools, type Tool } from "./tools";

/** The request to send: the path below /v1, and the body. */
export interface ModelRequest {
  path: "/chat/completions" | "/responses";
  body: Record<string, unknown>;
}

/**
 * Returns the value that is sent as the content of an image, a recording or a PDF: its data, unless code stands for it.
 */
export type DataOf = (attachment: Attachment) => unknown;

/** Builds the request for the next answer. Empty settings and malformed tools or schemas are not sent. */
export function requestOf(
  settings: Settings,
  turns: readonly Turn[],
  dataOf: DataOf = ({ data }) => data,
): ModelRequest {
  return settings.endpoint === "chat"
    ? { path: "/chat/completions", body: chatBody(settings, turns, dataOf) }
    : { path: "/responses", body: responsesBody(settings, turns, dataOf) };
}

/** Drops undefined values, empty texts and empty lists. */
const withoutEmptySettings = (body: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(body).filter(
      ([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0),
    ),
  );

function chatBody(s: Settings, turns: readonly Turn[], dataOf: DataOf): Record<string, unknown> {
  const tools = toolsOf(s);
  return withoutEmptySettings({
    model: s.model,
    messages: [
      ...(s.system.trim() ? [{ role: "system", content: s.system }] : []),
      ...withoutEmptyTurns(turns).map((turn) => chatMessage(turn, dataOf)),
    ],
    temperature: s.temperature,
    top_p: s.topP,
    max_completion_tokens: s.maxTokens,
    stop: s.stop,
    seed: s.seed,
    reasoning_effort: s.reasoning,
    response_format: chatFormat(s),
    tools: tools?.map((tool) => ({ type: "function", function: tool })),
    tool_choice: tools?.length ? s.toolChoice : undefined,
    stream: s.stream || undefined,
    stream_options: s.stream ? { include_usage: true } : undefined,
  });
}

function responsesBody(s: Settings, turns: readonly Turn[], dataOf: DataOf): Record<string, unknown> {
  const format = responsesFormat(s);
  const tools = toolsOf(s);
  return withoutEmptySettings({
    model: s.model,
    instructions: s.system.trim() ? s.system : undefined,
    input: withoutEmptyTurns(turns).flatMap((turn) => responsesItems(turn, dataOf)),
    temperature: s.temperature,
    top_p: s.topP,
    max_output_tokens: s.maxTokens,
    reasoning: s.reasoning
      ? {
          effort: s.reasoning,
          ...(s.summary && s.reasoning !== "none" && { summary: "auto" }), // not translated: a value of the API
        }
      : undefined,
    text: format && { format },
    tools: tools?.map((tool) => ({ type: "function", strict: false, ...tool })),
    tool_choice: tools?.length ? s.toolChoice : undefined,
    // The playground keeps the conversation itself.
    store: false,
    stream: s.stream || undefined,
  });
}

/** Drops empty answers, and messages whose attachments were not kept: a message without content is not valid. */
const withoutEmptyTurns = (turns: readonly Turn[]) =>
  turns.filter((turn) => {
    if (turn.role === "assistant") return turn.text !== "" || turn.calls.length > 0;
    return turn.role === "tool" || turn.text !== "" || kept(turn).length > 0;
  });

const kept = ({ attachments = [] }: UserTurn) => attachments.filter(({ data }) => data !== "");

function chatMessage(turn: Turn, dataOf: DataOf): Record<string, unknown> {
  switch (turn.role) {
    case "user":
      return {
        role: "user",
        content: contentOf(
          turn,
          (text) => ({ type: "text", text }),
          (file) => chatPart(file, dataOf(file)),
        ),
      };
    case "tool":
      return { role: "tool", tool_call_id: turn.callId, content: turn.text };
    case "assistant":
      return {
        role: "assistant",
        content: turn.text || null,
        ...(turn.calls.length > 0 && { tool_calls: chatCalls(turn) }),
      };
  }
}

/** Returns the text of a message alone, or the parts of a message with attachments. */
function contentOf(
  turn: UserTurn,
  textPart: (text: string) => unknown,
  filePart: (file: Attachment) => unknown,
): unknown {
  const files = kept(turn);
  if (files.length === 0) return turn.text;
  return [
    ...(turn.text ? [textPart(turn.text)] : []),
    ...files.map((file) => (file.kind === "text" ? textPart(named(file)) : filePart(file))),
  ];
}

/** Returns the text of a text file, with its name around it. */
const named = ({ name, data }: Attachment) => `<file name=${JSON.stringify(name)}>\n${data}\n</file>`;

function chatPart(file: Attachment, data: unknown) {
  if (file.kind === "audio") return audioPart(file, data);
  return file.kind === "image"
    ? { type: "image_url", image_url: { url: data } }
    : { type: "file", file: { filename: file.name, file_data: data } };
}

function responsesPart(file: Attachment, data: unknown) {
  if (file.kind === "audio") return audioPart(file, data);
  return file.kind === "image"
    ? { type: "input_image", image_url: data, detail: "auto" }
    : { type: "input_file", filename: file.name, file_data: data };
}

/** Both APIs have the same part for audio. */
const audioPart = ({ type }: Attachment, data: unknown) => ({
  type: "input_audio",
  input_audio: { data, format: audioFormat(type) },
});

const chatCalls = (turn: AssistantTurn) =>
  turn.calls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  }));

function responsesItems(turn: Turn, dataOf: DataOf): Record<string, unknown>[] {
  switch (turn.role) {
    case "user":
      return [
        {
          role: "user",
          content: contentOf(
            turn,
            (text) => ({ type: "input_text", text }),
            (file) => responsesPart(file, dataOf(file)),
          ),
        },
      ];
    case "tool":
      return [{ type: "function_call_output", call_id: turn.callId, output: turn.text }];
    case "assistant":
      return [
        ...(turn.text ? [{ role: "assistant", content: turn.text }] : []),
        ...turn.calls.map((call) => ({
          type: "function_call",
          call_id: call.id,
          name: call.name,
          arguments: call.arguments,
        })),
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
  if (s.format === "json_schema")
    // Not translated: a name in the request.
    return { type: "json_schema", json_schema: { name: "answer", schema: parse(s.schema), strict: s.strict } };
  return undefined;
}

function responsesFormat(s: Settings): Record<string, unknown> | undefined {
  if (s.format === "json_object") return { type: "json_object" };
  if (s.format === "json_schema")
    // Not translated: a name in the request.
    return { type: "json_schema", name: "answer", schema: parse(s.schema), strict: s.strict };
  return undefined;
}
