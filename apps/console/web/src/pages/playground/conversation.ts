import type { Failure, ToolCall } from "./answer";

/** The cost and the speed of one call. Times are in milliseconds since the request was sent. */
export interface Receipt {
  model: string;
  requestId: string | undefined;
  /** The charge in USD; undefined if the relay did not report it, for example for a stopped call. */
  quota: string | undefined;
  input: number | undefined;
  cached: number | undefined;
  output: number | undefined;
  reasoning: number | undefined;
  firstToken: number | undefined;
  total: number;
}

/** A message of the user. */
export interface UserTurn {
  id: string;
  role: "user";
  text: string;
}

/** An answer of the model. "stopped" means that the user aborted it, "failed" that it has a failure. */
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

/** The result of a function, as the user entered it. */
export interface ToolTurn {
  id: string;
  role: "tool";
  callId: string;
  name: string;
  text: string;
}

export type Turn = UserTurn | AssistantTurn | ToolTurn;

/**
 * Returns the calls of the last answer whose results are missing. While there are any, the user must enter the
 * results before the next turn.
 */
export function openCalls(turns: readonly Turn[]): ToolCall[] {
  const at = turns.findLastIndex((turn) => turn.role === "assistant");
  const asked = turns[at];
  if (asked?.role !== "assistant") return [];
  const given = turns.slice(at + 1);
  if (given.some((turn) => turn.role === "user")) return [];
  return asked.calls.filter((call) => !given.some((turn) => turn.role === "tool" && turn.callId === call.id));
}

/**
 * Returns the turns without the one with the id. The results of functions are removed together with the answer that
 * called them.
 */
export function without(turns: readonly Turn[], id: string): Turn[] {
  const gone = turns.find((turn) => turn.id === id);
  const calls = gone?.role === "assistant" ? gone.calls.map((call) => call.id) : [];
  return turns.filter((turn) => turn.id !== id && !(turn.role === "tool" && calls.includes(turn.callId)));
}

/**
 * Returns the turns from which an answer is generated again: those before the answer with the id, or those up to and
 * including the user's turn with the id.
 */
export function upTo(turns: readonly Turn[], id: string): Turn[] {
  const at = turns.findIndex((turn) => turn.id === id);
  if (at < 0) return [...turns];
  return turns.slice(0, turns[at]?.role === "assistant" ? at : at + 1);
}

/** Returns the turns with the text of one turn replaced. */
export const withText = (turns: readonly Turn[], id: string, text: string): Turn[] => turns.map((turn) => (turn.id === id ? { ...turn, text } : turn));

/** Returns the output tokens per second after the first token; undefined if the receipt has too few figures. */
export function speed({ output, firstToken, total }: Receipt): number | undefined {
  if (output === undefined || firstToken === undefined || total - firstToken < 1 || output < 2) return undefined;
  return (output / (total - firstToken)) * 1000;
}
