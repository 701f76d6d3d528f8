import { failureOf } from "./answer";
import type { AssistantTurn, Receipt, Turn } from "./conversation";
import { list, number, parse, record, text } from "./json";
import { defaults, type Settings } from "./settings";

/** The state that survives a reload of the page. */
export interface State {
  settings: Settings;
  turns: Turn[];
  /** The sum of all calls since the conversation began, including calls whose turns were removed. */
  spent: { usd: string; calls: number; tokens: number };
}

/** The state of a new conversation. */
export const fresh: State = { settings: defaults, turns: [], spent: { usd: "0", calls: 0, tokens: 0 } };

const most = 1_000_000; // characters; browsers store about five million for each origin

/** Returns the text to store. If the state is too large, the older half of the turns is dropped until it fits. */
export function serialize(state: State): string {
  let json = JSON.stringify(state);
  for (let turns = state.turns; json.length > most && turns.length > 0; ) {
    turns = turns.slice(Math.ceil(turns.length / 2));
    json = JSON.stringify({ ...state, turns });
  }
  return json.length > most ? JSON.stringify(fresh) : json;
}

/** Returns the stored state. Values that are missing or of a wrong type get their defaults. */
export function restore(json: string | null): State {
  const stored = record(parse(json ?? ""));
  const spent = record(stored["spent"]);
  const usd = text(spent["usd"]) ?? "";
  return {
    settings: settingsOf(record(stored["settings"])),
    turns: list(stored["turns"]).flatMap((turn) => turnOf(record(turn))),
    spent: { usd: /^\d{1,12}(\.\d{1,9})?$/.test(usd) ? usd : "0", calls: number(spent["calls"]) ?? 0, tokens: number(spent["tokens"]) ?? 0 },
  };
}

function settingsOf(stored: Record<string, unknown>): Settings {
  const word = <Word extends string>(name: string, words: readonly Word[], other: Word) => words.find((one) => one === stored[name]) ?? other;
  const amount = (name: string) => number(stored[name]) ?? "";
  const words = (name: string) => text(stored[name]) ?? "";
  return {
    model: words("model"),
    endpoint: word("endpoint", ["chat", "responses"], defaults.endpoint),
    system: words("system"),
    temperature: amount("temperature"),
    topP: amount("topP"),
    maxTokens: amount("maxTokens"),
    stop: list(stored["stop"]).filter((stop) => typeof stop === "string"),
    seed: amount("seed"),
    reasoning: word("reasoning", ["", "minimal", "low", "medium", "high"], defaults.reasoning),
    format: word("format", ["text", "json_object", "json_schema"], defaults.format),
    schema: words("schema"),
    tools: words("tools"),
    stream: stored["stream"] !== false,
  };
}

function turnOf(stored: Record<string, unknown>): Turn[] {
  const id = text(stored["id"]);
  const content = text(stored["text"]);
  if (id === undefined || content === undefined) return [];
  switch (stored["role"]) {
    case "user":
      return [{ id, role: "user", text: content }];
    case "tool":
      return [{ id, role: "tool", callId: text(stored["callId"]) ?? "", name: text(stored["name"]) ?? "", text: content }];
    case "assistant":
      return [answerOf(id, content, stored)];
  }
  return [];
}

function answerOf(id: string, content: string, stored: Record<string, unknown>): AssistantTurn {
  const calls = list(stored["calls"]).map(record);
  const failure = record(stored["failure"]);
  return {
    id,
    role: "assistant",
    text: content,
    reasoning: text(stored["reasoning"]) ?? "",
    calls: calls.map((call) => ({ id: text(call["id"]) ?? "", name: text(call["name"]) ?? "", arguments: text(call["arguments"]) ?? "" })),
    finish: text(stored["finish"]),
    state: (["stopped", "failed"] as const).find((state) => state === stored["state"]) ?? "done",
    failure: failureOf(failure, number(failure["status"])),
    receipt: receiptOf(stored["receipt"]),
  };
}

function receiptOf(stored: unknown): Receipt | undefined {
  const { model, requestId, quota, input, cached, output, reasoning, firstToken, total } = record(stored);
  if (typeof total !== "number") return undefined;
  return {
    model: text(model) ?? "",
    requestId: text(requestId),
    quota: text(quota),
    input: number(input),
    cached: number(cached),
    output: number(output),
    reasoning: number(reasoning),
    firstToken: number(firstToken),
    total,
  };
}
