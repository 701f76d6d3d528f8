import { events } from "@tollgate/client/events";

import { api, ask } from "@/api/client";
import { messageOf } from "@/api/problem";
import { queryClient } from "@/api/query";

import { chatAnswer, failureOf, noAnswer, responsesAnswer, withChatChunk, withResponsesEvent, type Answer, type Failure } from "./answer";
import type { Receipt } from "./conversation";
import { parse, record, text } from "./json";
import type { ModelRequest } from "./request";

export interface Outcome {
  answer: Answer;
  receipt: Receipt;
  /** Whether the signal ended it before it was whole. */
  stopped: boolean;
}

interface Call {
  request: ModelRequest;
  signal: AbortSignal;
  /** Told what has come so far, each time that more has. */
  onAnswer: (answer: Answer) => void;
}

/** A token of the playground is good for an hour; it is kept in memory alone, and forgotten at the sign-out. */
const tokenQuery = {
  queryKey: ["playground-token"],
  queryFn: async () => (await ask(api.POST("/api/playground/token"))).value,
  staleTime: 50 * 60_000,
  gcTime: Infinity,
};

/** Calls a model through the console. What the relay refuses is part of the answer; an abort before any answer is thrown. */
export async function callModel(call: Call): Promise<Outcome> {
  const first = await attempt(call);
  if (first.answer.failure?.code !== "invalid_api_key") return first;
  queryClient.removeQueries({ queryKey: tokenQuery.queryKey }); // another page has made a token meanwhile
  return attempt(call);
}

async function attempt(call: Call): Promise<Outcome> {
  const token = await queryClient.fetchQuery(tokenQuery);
  const watch = new Stopwatch();
  const response = await fetch(`/api/playground${call.request.path}`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "Content-Type": "application/json", "X-Tollgate-Token": token, "X-Tollgate-Include-Quota": "true" },
    body: JSON.stringify(call.request.body),
    signal: call.signal,
  });
  const answer = response.ok ? await readAnswer(response, call, watch) : { ...noAnswer, failure: await refusal(response) };
  return { answer, receipt: receiptOf(call.request, response, answer, watch), stopped: call.signal.aborted };
}

class Stopwatch {
  private readonly start = performance.now();
  firstToken: number | undefined;

  elapsed = () => Math.round(performance.now() - this.start);

  /** Notes the first moment at which there is something to read. */
  note(answer: Answer) {
    if (this.firstToken === undefined && (answer.text || answer.reasoning || answer.calls.length > 0)) this.firstToken = this.elapsed();
  }
}

async function readAnswer(response: Response, call: Call, watch: Stopwatch): Promise<Answer> {
  if (response.body && response.headers.get("content-type")?.startsWith("text/event-stream")) return readStream(response.body, call, watch);
  const body: unknown = await response.json();
  return call.request.path === "/chat/completions" ? chatAnswer(body) : responsesAnswer(body);
}

/** What came of a stream, whatever ended it. */
async function readStream(body: ReadableStream<Uint8Array>, { request, onAnswer, signal }: Call, watch: Stopwatch): Promise<Answer> {
  const withEvent = request.path === "/chat/completions" ? withChatChunk : withResponsesEvent;
  let answer = noAnswer;
  try {
    for await (const data of events(body)) {
      if (data !== "[DONE]") answer = withEvent(answer, parse(data));
      watch.note(answer);
      onAnswer(answer);
    }
  } catch (error) {
    return signal.aborted || answer.finish ? answer : { ...answer, failure: { ...cutOff, message: `${cutOff.message} (${messageOf(error)})` } };
  }
  return answer.finish || answer.failure ? answer : { ...answer, failure: cutOff };
}

const cutOff: Failure = { message: "The answer broke off before its end.", type: undefined, code: undefined, param: undefined };

/** Why a call was refused: the relay's error object, or the console's problem document. */
async function refusal(response: Response): Promise<Failure> {
  const body: unknown = parse(await response.text());
  const { error, detail, code, param } = record(body);
  return (
    failureOf(error, response.status) ?? {
      message: text(detail) ?? `The console answered with status ${response.status}.`,
      type: undefined,
      code: text(code),
      param: text(param),
      status: response.status,
    }
  );
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
