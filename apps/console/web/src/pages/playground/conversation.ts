import type { Failure, ToolCall } from "./answer";

/** What one call cost and how fast it was. Times are in milliseconds from the sending on. */
export interface Receipt {
  model: string;
  requestId: string | undefined;
  /** USD; absent where the relay did not tell, such as for a call that was stopped. */
  quota: string | undefined;
  input: number | undefined;
  cached: number | undefined;
  output: number | undefined;
  reasoning: number | undefined;
  firstToken: number | undefined;
  total: number;
}

export interface UserTurn {
  id: string;
  role: "user";
  text: string;
}

export interface AssistantTurn {
  id: string;
  role: "assistant";
  text: string;
  reasoning: string;
  calls: ToolCall[];
  finish: string | undefined;
  state: "done" | "stopped" | "failed";
  failure: Failure | undefined;
  receipt: Receipt | undefined;
}

/** What a function gave back, as it was entered by hand. */
export interface ToolTurn {
  id: string;
  role: "tool";
  callId: string;
  name: string;
  text: string;
}

export type Turn = UserTurn | AssistantTurn | ToolTurn;

/** The calls of the last answer whose results are still missing: it is not the user's turn then. */
export function openCalls(turns: readonly Turn[]): ToolCall[] {
  const at = turns.findLastIndex((turn) => turn.role === "assistant");
  const asked = turns[at];
  if (asked?.role !== "assistant") return [];
  const given = turns.slice(at + 1);
  if (given.some((turn) => turn.role === "user")) return [];
  return asked.calls.filter((call) => !given.some((turn) => turn.role === "tool" && turn.callId === call.id));
}

/** The turns without one of them. What a function gave back goes with the answer that asked for it. */
export function without(turns: readonly Turn[], id: string): Turn[] {
  const gone = turns.find((turn) => turn.id === id);
  const calls = gone?.role === "assistant" ? gone.calls.map((call) => call.id) : [];
  return turns.filter((turn) => turn.id !== id && !(turn.role === "tool" && calls.includes(turn.callId)));
}

/** The turns that an answer is asked for again after: those before the answer with the id, or up to the user's own turn. */
export function upTo(turns: readonly Turn[], id: string): Turn[] {
  const at = turns.findIndex((turn) => turn.id === id);
  if (at < 0) return [...turns];
  return turns.slice(0, turns[at]?.role === "assistant" ? at : at + 1);
}

/** The turns with another text in one of them. */
export const withText = (turns: readonly Turn[], id: string, text: string): Turn[] => turns.map((turn) => (turn.id === id ? { ...turn, text } : turn));

/** Tokens of output per second from the first one on; undefined where too little is known. */
export function speed({ output, firstToken, total }: Receipt): number | undefined {
  if (output === undefined || firstToken === undefined || total - firstToken < 1 || output < 2) return undefined;
  return (output / (total - firstToken)) * 1000;
}
