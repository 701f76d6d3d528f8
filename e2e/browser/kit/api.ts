import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "../../../openapi/clients/typescript/src/console.gen.ts";
import type { Person } from "./gateway.ts";

export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** The console's API, as one person. */
export type Api = Client<paths>;

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** What was asked for; anything else fails. */
export async function ask<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await asked;
  if (!response.ok || data === undefined) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

/** The same for calls that answer with nothing. */
export async function must(asked: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await asked;
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
}

/** Signs in without a browser. */
export async function signIn(console_: string, { email, password }: Person): Promise<Api> {
  const answer = await fetch(`${console_}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: console_ },
    body: JSON.stringify({ email, password }),
  });
  const cookie = answer.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  if (!answer.ok || cookie === "") throw new Error(`${email} cannot sign in: ${answer.status} ${await answer.text()}`);
  return createClient<paths>({ baseUrl: console_, headers: { cookie, origin: console_ } });
}

/** What a relay answered to a call. */
export interface Called {
  status: number;
  /** What was deducted, in USD; "" where nothing was. */
  quota: string;
  id: string;
}

/** Calls a model as a client does, for an answer in one piece. */
export async function call(relay: string, token: string, model: string, text = "Hello"): Promise<Called> {
  const answer = await fetch(`${relay}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ model, messages: [{ role: "user", content: text }] }),
  });
  await answer.arrayBuffer();
  return { status: answer.status, quota: answer.headers.get("x-tollgate-quota") ?? "", id: answer.headers.get("x-request-id") ?? "" };
}
