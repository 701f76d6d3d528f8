import { t } from "@lingui/core/macro";
import { events } from "@tollgate/client/events";

import { api, ask } from "@/api/client";
import { messageOf, Problem } from "@/api/problem";
import { checkSession, queryClient } from "@/api/query";

import {
  chatAnswer,
  failureOf,
  noAnswer,
  responsesAnswer,
  withChatChunk,
  withResponsesEvent,
  type Answer,
  type Failure,
} from "./answer";
import type { Receipt } from "./conversation";
import { parse, record, text } from "./json";
import type { ModelRequest } from "./request";

/** The result of a call. */
export interface Outcome {
  answer: Answer;
  receipt: Receipt;
  /** True if the signal aborted the call before the answer was complete. */
  stopped: boolean;
}

/** A call to make. */
export interface Call {
  request: ModelRequest;
  signal: AbortSignal;
  /** Called with the answer received so far and its receipt, when a stream starts and each time more of it arrives. */
  onAnswer: (answer: Answer, receipt: Receipt) => void;
}

/**
 * Creates the token of the playground. It is valid for an hour and reused for 50 minutes. It exists only in memory,
 * so the page load at sign-out drops it.
 */
const tokenQuery = {
  queryKey: ["playground-token"],
  queryFn: async () => (await ask(api.POST("/api/playground/token"))).value,
  staleTime: 50 * 60_000,
  gcTime: Infinity,
};

/**
 * Calls a model through the console. A refusal by the relay is returned as the answer's failure; an abort before the
 * response started is thrown.
 */
export async function callModel(call: Call): Promise<Outcome> {
  const token = await queryClient.fetchQuery(tokenQuery);
  const first = await attempt(call, token);
  // The relay refuses the cached token if another page has replaced it. The call is repeated once with a new token.
  if (first.answer.failure?.code !== "invalid_api_key") return first;
  // The call in the other column may have removed it already: two new tokens would replace each other.
  if (queryClient.getQueryData(tokenQuery.queryKey) === token)
    queryClient.removeQueries({ queryKey: tokenQuery.queryKey });
  return attempt(call, await queryClient.fetchQuery(tokenQuery));
}

async function attempt(call: Call, token: string): Promise<Outcome> {
  const watch = new Stopwatch();
  const response = await fetch(`/api/playground${call.request.path}`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-Tollgate-Token": token, "X-Tollgate-Include-Quota": "true" },
    body: JSON.stringify(call.request.body),
    signal: call.signal,
  });
  const answer = response.ok
    ? await readAnswer(response, call, watch)
    : { ...noAnswer, failure: await refusal(response) };
  return { answer, receipt: receiptOf(call.request, response, answer, watch), stopped: call.signal.aborted };
}

/** Measures the time of a call in milliseconds from its construction. */
export class Stopwatch {
  private readonly start = performance.now();
  firstToken: number | undefined;

  elapsed = () => Math.round(performance.now() - this.start);

  /** Records the time at which the first readable content arrived. */
  note(answer: Answer) {
    if (this.firstToken === undefined && (answer.text || answer.reasoning || answer.calls.length > 0))
      this.firstToken = this.elapsed();
  }
}

async function readAnswer(response: Response, call: Call, watch: Stopwatch): Promise<Answer> {
  if (response.body && response.headers.get("content-type")?.startsWith("text/event-stream"))
    return readStream(response.body, {
      withEvent: call.request.path === "/chat/completions" ? withChatChunk : withResponsesEvent,
      show: (answer) => call.onAnswer(answer, receiptOf(call.request, response, answer, watch)),
      signal: call.signal,
      watch,
    });
  const body: unknown = await response.json();
  return call.request.path === "/chat/completions" ? chatAnswer(body) : responsesAnswer(body);
}

interface Reading {
  /** Returns the answer with one event of the stream added. */
  withEvent: (answer: Answer, event: unknown) => Answer;
  /** Called with the answer received so far, when the stream starts and each time more of it arrives. */
  show: (answer: Answer) => void;
  signal: AbortSignal;
  watch: Stopwatch;
}

/** Reads a stream to its end and returns the answer received so far, even if the stream breaks off. */
export async function readStream(
  body: ReadableStream<Uint8Array>,
  { withEvent, show, signal, watch }: Reading,
): Promise<Answer> {
  let answer = noAnswer;
  show(answer);
  try {
    for await (const data of events(body)) {
      if (data !== "[DONE]") answer = withEvent(answer, parse(data));
      watch.note(answer);
      show(answer);
    }
  } catch (error) {
    const reason = messageOf(error);
    return signal.aborted || answer.finish
      ? answer
      : { ...answer, failure: cutOff(t`The answer ended unexpectedly (${reason}).`) };
  }
  return answer.finish || answer.failure ? answer : { ...answer, failure: cutOff(t`The answer ended unexpectedly.`) };
}

/** Returns the failure of a stream that ended without a finish reason. */
const cutOff = (message: string): Failure => ({ message, type: undefined, code: undefined, param: undefined });

/**
 * Returns the reason of a refused call, from the relay's error object or the console's problem document. A refusal of
 * the console can mean that the session has ended.
 */
export async function refusal(response: Response): Promise<Failure> {
  const body: unknown = parse(await response.text());
  const { error, detail, code, param } = record(body);
  const { status } = response;
  const failure = failureOf(error, status);
  if (failure) return failure;
  checkSession(new Problem(status, undefined));
  return {
    message: text(detail) ?? t`The console answered with status ${status}.`,
    type: undefined,
    code: text(code),
    param: text(param),
    status,
  };
}

function receiptOf(request: ModelRequest, response: Response, { usage }: Answer, watch: Stopwatch): Receipt {
  return {
    model: text(request.body["model"]) ?? "",
    requestId: response.headers.get("x-request-id") ?? undefined,
    quota: usage?.quota ?? response.headers.get("x-tollgate-quota") ?? undefined,
    input: usage?.input,
    cached: usage?.cached,
    output: usage?.output,
    reasoning: usage?.reasoning,
    firstToken: watch.firstToken,
    total: watch.elapsed(),
  };
}
