// A client of Tollgate's API: models, chat completions and responses.
import createClient, { type Client } from "openapi-fetch";

import { events } from "./events.js";
import type { components, paths } from "./relay.gen.js";

export type { components, paths } from "./relay.gen.js";

/** A schema of the relay's OpenAPI document by its name. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

export interface RelayOptions {
  /** Where the relay is, such as https://api.example.com, without /v1. */
  url: string;
  /** An API token made in the console. */
  token: string;
  fetch?: (request: Request) => Promise<Response>;
}

export type Relay = Client<paths, "application/json">;

/** Returns a client of the relay: `await relay.GET("/v1/models")`. */
export function createRelay({ url, token, fetch }: RelayOptions): Relay {
  return createClient<paths, "application/json">({ baseUrl: url, headers: { Authorization: `Bearer ${token}` }, ...(fetch && { fetch }) });
}

/** An error that the relay answered with, or ended a stream with. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  constructor(
    /** HTTP status; 200 where the stream had begun. */
    readonly status: number,
    readonly code: string | null,
    message: string,
  ) {
    super(message);
  }
}

/** A stream that ended before its end was announced: what came may not be all. */
export class Cut extends Error {
  override readonly name = "Cut";
  constructor() {
    super("the stream ended without its last event");
  }
}

type Begun = Promise<{ data?: ReadableStream<Uint8Array> | null; error?: unknown; response: Response }>;

/** Makes a chat call and yields the chunks of its answer as they come. Leaving the loop ends the call. */
export async function* streamChat(
  relay: Relay,
  body: Schema<"ChatCompletionRequest">,
  init: { signal?: AbortSignal } = {},
): AsyncGenerator<Schema<"ChatCompletionChunk">, void, undefined> {
  const begun = relay.POST("/v1/chat/completions", { ...init, body: { ...body, stream: true }, parseAs: "stream" });
  for await (const data of events(await opened(begun as Begun))) {
    if (data === "[DONE]") return;
    yield decode(data);
  }
  throw new Cut();
}

const terminal = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Makes a response and yields the events of its stream as they come. Leaving the loop ends the call. */
export async function* streamResponse(
  relay: Relay,
  body: Schema<"ResponseRequest">,
  init: { signal?: AbortSignal } = {},
): AsyncGenerator<Schema<"ResponseStreamEvent">, void, undefined> {
  const begun = relay.POST("/v1/responses", { ...init, body: { ...body, stream: true }, parseAs: "stream" });
  for await (const data of events(await opened(begun as Begun))) {
    const event: Schema<"ResponseStreamEvent"> = decode(data);
    yield event;
    if (terminal.has(event.type)) return;
  }
  throw new Cut();
}

async function opened(begun: Begun): Promise<ReadableStream<Uint8Array>> {
  const { data, error, response } = await begun;
  if (response.ok && data) return data;
  throw refusal(response.status, error) ?? new Refusal(response.status, null, response.statusText);
}

function decode<T>(data: string): T {
  const value: unknown = JSON.parse(data);
  const failed = refusal(200, value);
  if (failed) throw failed;
  return value as T;
}

function refusal(status: number, body: unknown): Refusal | undefined {
  const error = (body as Partial<Schema<"ErrorResponse">> | null | undefined)?.error;
  return error?.message ? new Refusal(status, error.code, error.message) : undefined;
}
