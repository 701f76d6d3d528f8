import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "../../../openapi/clients/typescript/src/console.gen.ts";
import type { Login } from "./gateway.ts";

/** The type of a schema of the console's API. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** A client of the console's API, signed in as one user. */
export type Api = Client<paths>;

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** Waits for a call of the API and returns its data. Throws if the call failed. */
export async function ask<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await asked;
  if (!response.ok || data === undefined)
    throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

/** Waits for a call without data. Throws if the call failed. */
export async function expectOk(asked: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await asked;
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
}

/** Signs a user in without a browser and returns a client with the session. */
export async function signIn(console_: string, { email, password }: Login): Promise<Api> {
  const answer = await fetch(`${console_}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: console_ },
    body: JSON.stringify({ email, password }),
  });
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  if (!answer.ok || cookie === "") throw new Error(`${email} cannot sign in: ${answer.status} ${await answer.text()}`);
  return createClient<paths>({ baseUrl: console_, headers: { cookie, origin: console_ } });
}

/** The result of a call of the relay. */
export interface CallResult {
  status: number;
  /** Quota deducted, in USD; "" if there was no deduction. */
  quota: string;
  /** Request id, which is also the id of the usage log. */
  id: string;
}

/** What a call has besides its model and text. */
interface CallOptions {
  /** More fields of the request, such as user or service_tier. */
  fields?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/**
 * Calls a model through the relay, without streaming, and returns the result. A failed call is a result too.
 */
export async function call(
  relay: string,
  token: string,
  model: string,
  text = "Hello",
  { fields, headers }: CallOptions = {},
): Promise<CallResult> {
  const answer = await fetch(`${relay}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify({ model, messages: [{ role: "user", content: text }], ...fields }),
  });
  await answer.arrayBuffer();
  return {
    status: answer.status,
    quota: answer.headers.get("x-tollgate-quota") ?? "",
    id: answer.headers.get("x-request-id") ?? "",
  };
}

/** Creates a channel for the model that answers each call; one with a `url` calls it. */
export const addChannel = async (operator: Api, name: string, model: string, url?: string) =>
  ask(
    operator.POST("/api/operator/channels", {
      body: {
        name,
        type: url ? "openai" : "echo",
        ...(url && { base_url: url }),
        dialects: ["chat"],
        models: { [model]: "up" },
        weight: 1,
        status: "enabled",
        on_disconnect: "cancel",
        unpriced: "refuse",
      },
    }),
  );
