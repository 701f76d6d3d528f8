// A client of the API of Tollgate's relay: models, chat completions and responses.
import createClient, { type Client } from "openapi-fetch";

import { events } from "./events.js";
import type { components, paths } from "./relay.gen.js";

export type { components, paths } from "./relay.gen.js";

/** The type of a schema of the relay's OpenAPI document, by its name. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** The options of createRelay. */
export interface RelayOptions {
  /** The URL of the relay without /v1, for example https://api.example.com. */
  url: string;
  /** An API token, created in the console. */
  token: string;
  /** Sends the requests in place of the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A client of the relay, typed by the paths of its OpenAPI document. */
export type Relay = Client<paths, "application/json">;

/**
 * Returns a client of the relay. Its methods return the data or the error: `const { data, error } = await
 * relay.GET("/v1/models")`. They throw if there is no response.
 */
export function createRelay({ url, token, fetch }: RelayOptions): Relay {
  return createClient<paths, "application/json">({ baseUrl: url, headers: { Authorization: `Bearer ${token}` }, ...(fetch && { fetch }) });
}

/** An error that the relay returned instead of a response, or that ended a stream. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  constructor(
    /** The HTTP status; 200 if the error ended a stream. */
    readonly status: number,
    /** The stable code of the error, null for none. */
    readonly code: string | null,
    message: string,
  ) {
    super(message);
  }
}

/** The error of a stream that ended without its last event, so that the response may be incomplete. */
export class Cut extends Error {
  override readonly name = "Cut";
  constructor() {
    super("the stream ended without its last event");
  }
}

/** The result of a request whose body is read as a stream. */
type StreamResult = Promise<{ data?: ReadableStream<Uint8Array> | null; error?: unknown; response: Response }>;

/**
 * Sends a chat request and yields the chunks of the response as they arrive. Leaving the loop cancels the request. It
 * throws a Refusal for an error of the relay and Cut for a stream that was cut off.
 */
export async function* streamChat(
  relay: Relay,
  body: Schema<"ChatCompletionRequest">,
  init: { signal?: AbortSignal } = {},
): AsyncGenerator<Schema<"ChatCompletionChunk">, void, undefined> {
  const result = relay.POST("/v1/chat/completions", { ...init, body: { ...body, stream: true }, parseAs: "stream" });
  for await (const data of events(await streamOf(result as StreamResult))) {
    if (data === "[DONE]") return;
    yield decode(data);
  }
  throw new Cut();
}

/** The events that end the stream of a response. */
const terminal = new Set(["response.completed", "response.incomplete", "response.failed"]);

/**
 * Sends a responses request and yields the events of the stream as they arrive. Leaving the loop cancels the request.
 * It throws a Refusal for an error of the relay and Cut for a stream that was cut off.
 */
export async function* streamResponse(
  relay: Relay,
  body: Schema<"ResponseRequest">,
  init: { signal?: AbortSignal } = {},
): AsyncGenerator<Schema<"ResponseStreamEvent">, void, undefined> {
  const result = relay.POST("/v1/responses", { ...init, body: { ...body, stream: true }, parseAs: "stream" });
  for await (const data of events(await streamOf(result as StreamResult))) {
    const event: Schema<"ResponseStreamEvent"> = decode(data);
    yield event;
    if (terminal.has(event.type)) return;
  }
  throw new Cut();
}

/** Returns the body of a successful result and throws a Refusal for any other. */
async function streamOf(result: StreamResult): Promise<ReadableStream<Uint8Array>> {
  const { data, error, response } = await result;
  if (response.ok && data) return data;
  throw refusal(response.status, error) ?? new Refusal(response.status, null, response.statusText);
}

/** Parses the data of an event. Throws a Refusal if the event reports an error. */
function decode<T>(data: string): T {
  const value: unknown = JSON.parse(data);
  const failed = refusal(200, value);
  if (failed) throw failed;
  return value as T;
}

/**
 * Returns the error that a body holds, undefined if it holds none. The event error of a response has the members of the
 * error itself, or has it in an object.
 */
function refusal(status: number, body: unknown): Refusal | undefined {
  const value = body as Partial<Schema<"ErrorResponse"> & Schema<"ResponseErrorEvent">> | null | undefined;
  const error = value?.error ?? (value?.type === "error" ? value : undefined);
  return error?.message ? new Refusal(status, error.code ?? null, error.message) : undefined;
}
