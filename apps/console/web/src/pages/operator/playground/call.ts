import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { wordOf } from "@/components/channels/status";
import { type Answer, type Failure, noAnswer, withChatChunk } from "@/pages/playground/answer";
import { type Call, type Outcome, readStream, refusal, Stopwatch } from "@/pages/playground/call";
import type { Receipt } from "@/pages/playground/conversation";
import { record, text } from "@/pages/playground/json";

type CallReceipt = Schema<"ChannelCallReceipt">;

/** The most bytes of a request's body. */
export const maxCallBody = 1024 * 1024;

/** A channel as far as calls need it. */
export interface Called {
  id: string;
  name: string;
}

/**
 * Calls a model of a channel through the console. What the upstream refuses is the answer's failure; an abort before
 * the response started is thrown.
 */
export async function callChannel({ request, signal, onAnswer }: Call, channel: Called): Promise<Outcome> {
  const watch = new Stopwatch();
  const model = text(request.body["model"]) ?? "";
  const response = await fetch(`/api/operator/channels/${encodeURIComponent(channel.id)}/call`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request.body),
    signal,
  });
  let reported: CallReceipt | undefined;
  const withEvent = (answer: Answer, event: unknown): Answer => {
    const { receipt } = record(event);
    if (receipt === undefined) return withChatChunk(answer, event);
    reported = receipt as CallReceipt; // the console writes it by its own schema
    return { ...answer, failure: failureIn(reported) };
  };
  const receiptNow = () => (reported ? receiptOf(model, channel, reported) : unfinished(model, channel, watch));
  const answer =
    response.ok && response.body
      ? await readStream(response.body, { withEvent, show: (shown) => onAnswer(shown, receiptNow()), signal, watch })
      : { ...noAnswer, failure: await refusal(response) };
  return { answer, receipt: receiptNow(), stopped: signal.aborted };
}

/** Returns the failure that a receipt states; undefined for a complete answer. */
export function failureIn({ ok, error, status, detail }: CallReceipt): Failure | undefined {
  if (ok) return undefined;
  const reason = wordOf(error);
  return {
    message: t`The channel did not answer: ${reason}`,
    type: undefined,
    code: error,
    param: undefined,
    ...(status > 0 && { status }),
    ...(detail && { detail }),
  };
}

/** Returns the receipt of a call that has ended. Its times are the console's, without the way to the browser. */
export function receiptOf(model: string, channel: Called, reported: CallReceipt): Receipt {
  const { tokens, price, supplier_cost: cost } = reported;
  return {
    model,
    requestId: undefined,
    quota: price,
    input: tokens ? tokens.input + tokens.cached_input + tokens.cache_write + tokens.audio_input : undefined,
    cached: tokens?.cached_input,
    output: tokens ? tokens.output + tokens.reasoning + tokens.audio_output : undefined,
    reasoning: tokens?.reasoning,
    firstToken: reported.first_token_ms,
    total: reported.latency_ms,
    on: { channel: channel.name, status: reported.status, cost },
  };
}

/** Returns the receipt of a call whose end was not received. */
const unfinished = (model: string, channel: Called, watch: Stopwatch): Receipt => ({
  model,
  requestId: undefined,
  quota: undefined,
  input: undefined,
  cached: undefined,
  output: undefined,
  reasoning: undefined,
  firstToken: watch.firstToken,
  total: watch.elapsed(),
  on: { channel: channel.name, status: undefined, cost: undefined },
});
