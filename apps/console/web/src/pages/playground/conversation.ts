import { t } from "@lingui/core/macro";

import type { Failure, ToolCall } from "./answer";
import type { Attachment } from "./attachments";

/** What is known of a call that an operator made on a channel. It was not charged to a tenant. */
export interface ChannelCall {
  /** The name of the channel. */
  channel: string;
  /** The HTTP status of the upstream; 0 if it did not respond, undefined if the call was stopped. */
  status: number | undefined;
  /** What the upstream charges in USD; undefined if that is not known. */
  cost: string | undefined;
}

/** The cost and the speed of one call. Times are in milliseconds since the request was sent. */
export interface Receipt {
  model: string;
  requestId: string | undefined;
  /**
   * The charge in USD; undefined if the relay did not report it, for example for a stopped call. Of a call on a
   * channel, what the model's price makes it.
   */
  quota: string | undefined;
  /** Absent for calls through the relay. */
  on?: ChannelCall | undefined;
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
  /** Absent if there are none. */
  attachments?: Attachment[];
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
 * including the user's turn with the id, or the results of functions among which the one with the id is.
 */
export function upTo(turns: readonly Turn[], id: string): Turn[] {
  const at = turns.findIndex((turn) => turn.id === id);
  const role = turns[at]?.role;
  if (role === undefined) return [...turns];
  if (role === "assistant") return turns.slice(0, at);
  if (role === "user") return turns.slice(0, at + 1);
  const next = turns.findIndex((turn, i) => i > at && turn.role !== "tool");
  return next < 0 ? [...turns] : turns.slice(0, next);
}

/** Returns the text of the last result that the user gave for the function; "" if there is none. */
export const lastResult = (turns: readonly Turn[], name: string) =>
  turns.findLast((turn) => turn.role === "tool" && turn.name === name)?.text ?? "";

/**
 * Returns the turns with which the column of a second model begins: those of the first, without receipts, because the
 * second model was not charged for them.
 */
export const contextOf = (turns: readonly Turn[]): Turn[] =>
  turns.map((turn) => (turn.role === "assistant" ? { ...turn, receipt: undefined } : turn));

/** Returns the turns with the text of one turn replaced. */
export const withText = (turns: readonly Turn[], id: string, text: string): Turn[] =>
  turns.map((turn) => (turn.id === id ? { ...turn, text } : turn));

const shortest = 100; // ms; a time below it measures the network and not the model

/**
 * Returns the output tokens per second after the first token; undefined if the receipt has too few figures, or if the
 * answer arrived all at once.
 */
export function speed({ output, firstToken, total }: Receipt): number | undefined {
  if (output === undefined || firstToken === undefined || total - firstToken < shortest || output < 2) return undefined;
  return (output / (total - firstToken)) * 1000;
}

/** Returns the technical words of a failure, each once: its type and its code are often the same. */
export function failureWords({ status, type, code, param }: Failure): string[] {
  const words = [status && t`status ${status}`, type, code, param && `param ${param}`];
  return [...new Set(words.filter((word): word is string => typeof word === "string" && word !== ""))];
}
