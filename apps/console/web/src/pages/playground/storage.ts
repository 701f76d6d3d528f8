import { failureOf } from "./answer";
import type { Attachment } from "./attachments";
import type { AssistantTurn, ChannelCall, Receipt, Turn } from "./conversation";
import { list, number, parse, record, text } from "./json";
import { defaults, type Settings, settingsOf } from "./settings";

/** The state that survives a reload of the page. */
export interface State {
  /** The id of the conversation in the history; "" before its first turn. */
  id: string;
  settings: Settings;
  /** The turns of the conversation with each model: one list, or two if the settings name a rival. */
  columns: Turn[][];
  /** The sum of all calls since the conversation began, including calls whose turns were removed. */
  spent: { usd: string; calls: number; tokens: number };
}

/** The state of a new conversation. */
export const fresh: State = { id: "", settings: defaults, columns: [[]], spent: { usd: "0", calls: 0, tokens: 0 } };

const most = 2_000_000; // characters; browsers store about five million for each origin

/**
 * Returns the text to store. If the state is too large, the contents of attachments are dropped, and then the older
 * half of the turns until it fits.
 */
export function serialize(state: State, limit: number = most): string {
  const json = JSON.stringify(state);
  return json.length <= limit ? json : withoutTurns(withoutFiles(state), limit);
}

function withoutTurns(state: State, limit: number): string {
  let json = JSON.stringify(state);
  for (let { columns } = state; json.length > limit && columns.some((turns) => turns.length > 0);) {
    columns = columns.map((turns) => turns.slice(Math.ceil(turns.length / 2)));
    json = JSON.stringify({ ...state, columns });
  }
  return json.length > limit ? JSON.stringify(fresh) : json;
}

/** Returns the state without the contents of images and files. Their names are kept. */
export const withoutFiles = (state: State): State => ({
  ...state,
  columns: state.columns.map((turns) =>
    turns.map((turn) =>
      turn.role === "user" && turn.attachments
        ? { ...turn, attachments: turn.attachments.map((file) => ({ ...file, data: "" })) }
        : turn,
    ),
  ),
});

/** Returns the stored state. Values that are missing or of a wrong type get their defaults. */
export const restore = (json: string | null): State => stateOf(parse(json ?? ""));

/** Returns the state in a value of unknown shape. */
export function stateOf(value: unknown): State {
  const stored = record(value);
  const spent = record(stored["spent"]);
  const usd = text(spent["usd"]) ?? "";
  const settings = settingsOf(stored["settings"]);
  const [first = [], second = []] = list(stored["columns"]).map((turns) =>
    list(turns).flatMap((turn) => turnOf(record(turn))),
  );
  return {
    id: text(stored["id"]) ?? "",
    settings,
    columns: settings.rival ? [first, second] : [first],
    spent: {
      usd: /^\d{1,12}(\.\d{1,9})?$/.test(usd) ? usd : "0",
      calls: number(spent["calls"]) ?? 0,
      tokens: number(spent["tokens"]) ?? 0,
    },
  };
}

function turnOf(stored: Record<string, unknown>): Turn[] {
  const id = text(stored["id"]);
  const content = text(stored["text"]);
  if (id === undefined || content === undefined) return [];
  switch (stored["role"]) {
    case "user":
      return [userTurnOf(id, content, list(stored["attachments"]))];
    case "tool":
      return [
        { id, role: "tool", callId: text(stored["callId"]) ?? "", name: text(stored["name"]) ?? "", text: content },
      ];
    case "assistant":
      return [answerOf(id, content, stored)];
  }
  return [];
}

function userTurnOf(id: string, content: string, stored: unknown[]): Turn {
  const attachments = stored.flatMap((file) => attachmentOf(record(file)));
  return { id, role: "user", text: content, ...(attachments.length > 0 && { attachments }) };
}

function attachmentOf(stored: Record<string, unknown>): Attachment[] {
  const [id, name, type, data] = ["id", "name", "type", "data"].map((field) => text(stored[field]));
  const kind = (["image", "audio", "pdf", "text"] as const).find((one) => one === stored["kind"]);
  if (id === undefined || name === undefined || type === undefined || data === undefined || !kind) return [];
  return [{ id, name, kind, type, data }];
}

function answerOf(id: string, content: string, stored: Record<string, unknown>): AssistantTurn {
  const calls = list(stored["calls"]).map(record);
  const failure = record(stored["failure"]);
  return {
    id,
    role: "assistant",
    text: content,
    reasoning: text(stored["reasoning"]) ?? "",
    calls: calls.map((call) => ({
      id: text(call["id"]) ?? "",
      name: text(call["name"]) ?? "",
      arguments: text(call["arguments"]) ?? "",
    })),
    finish: text(stored["finish"]),
    state: (["stopped", "failed"] as const).find((state) => state === stored["state"]) ?? "done",
    failure: failureIn(failure),
    receipt: receiptOf(stored["receipt"]),
  };
}

function failureIn(stored: Record<string, unknown>) {
  const failure = failureOf(stored, number(stored["status"]));
  const detail = text(stored["detail"]);
  return failure && { ...failure, ...(detail !== undefined && { detail }) };
}

function receiptOf(stored: unknown): Receipt | undefined {
  const { model, requestId, quota, input, cached, output, reasoning, firstToken, total, on } = record(stored);
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
    ...(on !== undefined && { on: channelCallOf(record(on)) }),
  };
}

const channelCallOf = ({ channel, status, cost }: Record<string, unknown>): ChannelCall => ({
  channel: text(channel) ?? "",
  status: number(status),
  cost: text(cost),
});
