import { createConsole, type Schema } from "@tollgate/client/console";

import { confirmIdentity, Declined } from "./confirmation";
import { earlyAnswer } from "./early";
import { rememberJob } from "./jobs";
import { Problem } from "./problem";

export type { Schema } from "@tollgate/client/console";

// Aborts every request of this page. abortRequests replaces it, because an aborted controller cannot be used again.
let requests = new AbortController();

/** The client of the console's API. Requests carry the session cookie of this page. Wrap each call in `ask`. */
export const api = createConsole({
  url: "",
  fetch: async (request) =>
    request.method === "GET"
      ? ((await earlyAnswer(request.url)) ?? send(request))
      : rememberJob(request, await sendConfirmed(request)),
});

const send = (request: Request) => fetch(request, { signal: AbortSignal.any([request.signal, requests.signal]) });

/**
 * Sends a request. If the server first wants the user to confirm, it asks for that and then sends the request again, so
 * that forms continue with what was typed. Throws Declined if the user does not confirm.
 */
async function sendConfirmed(request: Request): Promise<Response> {
  const before = document.activeElement; // forms disable their button, which then loses the focus
  const again = request.clone();
  const response = await send(request);
  if (response.status !== 403 || codeOf(await readJson(response.clone())) !== "confirmation_required") return response;
  if (!(await confirmWithTyped(again)) && !(await confirmIdentity(before))) throw new Declined();
  return send(again);
}

/**
 * Confirms with the password that the request contains, so that the dialogs which ask for it do not ask twice. Only
 * calls about the user's own session contain the user's password; a new member's password is another one.
 */
async function confirmWithTyped(request: Request): Promise<boolean> {
  if (!new URL(request.url).pathname.startsWith("/api/session/")) return false;
  const body = await readJson(request.clone());
  const password = textIn(body, "old_password") ?? textIn(body, "password");
  if (!password) return false;
  const { response } = await api.POST("/api/session/confirmation", { body: { password } });
  return response.ok;
}

const readJson = (message: Body): Promise<unknown> => message.json().catch(() => undefined);

function textIn(body: unknown, name: string): string | undefined {
  if (typeof body !== "object" || body === null || !(name in body)) return undefined;
  const value: unknown = body[name as keyof typeof body];
  return typeof value === "string" ? value : undefined;
}

const codeOf = (body: unknown) => textIn(body, "code");

/** Aborts all requests in flight. Requests that start later are not affected. */
export function abortRequests() {
  requests.abort();
  requests = new AbortController();
}

/** Returns the data of a response. Throws a Problem if the status is not 2xx. */
export async function ask<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw new Problem(response.status, isProblemBody(error) ? error : undefined);
  return data as Data;
}

function isProblemBody(body: unknown): body is Schema<"Error"> {
  return typeof body === "object" && body !== null && "detail" in body;
}
