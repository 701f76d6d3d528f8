import { api, ask, type Schema } from "@/api/client";
import { hasStatus } from "@/api/problem";
import { decimalUsd, sumUsd } from "@/format/money";

import type { AssistantTurn, Receipt, Turn } from "./conversation";
import type { State } from "./storage";

type UsageLog = Pick<Schema<"UsageLog">, "quota" | "tokens">;

/** A turn whose receipt has a request id. */
export type Uncharged = AssistantTurn & { receipt: Receipt & { requestId: string } };

/**
 * Returns the answers whose charge is unknown because the stream did not reach its end: the relay reports the charge
 * there. Their usage logs have it.
 */
export function uncharged(turns: readonly Turn[]): Uncharged[] {
  return turns.filter(
    (turn): turn is Uncharged =>
      turn.role === "assistant" &&
      brokeOff(turn) &&
      turn.receipt?.requestId !== undefined &&
      turn.receipt.quota === undefined,
  );
}

const brokeOff = (turn: AssistantTurn) => turn.state === "stopped" || (turn.state === "failed" && generated(turn));

/** Reports whether anything of an answer was received. */
export const generated = ({ text, reasoning, calls }: AssistantTurn) =>
  text !== "" || reasoning !== "" || calls.length > 0;

// The times in ms after which the usage log is looked for: the relay writes it a second or two after the call.
const pauses = [1000, 1000, 2000, 4000, 8000];

/** Returns the usage log of a request; undefined if it is not there in time. */
export async function logOf(
  requestId: string,
  read: (id: string) => Promise<UsageLog> = readLog,
  wait: (ms: number) => Promise<void> = sleep,
): Promise<UsageLog | undefined> {
  for (const pause of pauses) {
    await wait(pause);
    try {
      return await read(requestId);
    } catch (error) {
      if (!hasStatus(error, 404)) return undefined;
    }
  }
  return undefined;
}

const readLog = (id: string) => ask(api.GET("/api/usage-logs/{id}", { params: { path: { id } } }));
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Returns the state with the charge of a turn: in its receipt, and in what the conversation has spent. */
export function withCharge(state: State, id: string, { quota, tokens }: UsageLog): State {
  const turn = uncharged(state.columns.flat()).find((one) => one.id === id);
  if (!turn) return state;
  const input = tokens.input + tokens.cached_input + tokens.cache_write + tokens.audio_input;
  const output = tokens.output + tokens.reasoning + tokens.audio_output;
  const receipt = { ...turn.receipt, quota, input, cached: tokens.cached_input, output, reasoning: tokens.reasoning };
  const { spent } = state;
  return {
    ...state,
    columns: state.columns.map((turns) => turns.map((one) => (one === turn ? { ...turn, receipt } : one))),
    spent: { ...spent, usd: decimalUsd(sumUsd([spent.usd, quota])), tokens: spent.tokens + input + output },
  };
}
