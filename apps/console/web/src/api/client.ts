import { createConsole, type Schema } from "@tollgate/client/console";

import { Problem } from "./problem";

export type { Schema } from "@tollgate/client/console";

// Aborts every request of this page. abortRequests replaces it, because an aborted controller cannot be used again.
let requests = new AbortController();

/** The client of the console's API. Requests carry the session cookie of this page. Wrap each call in `ask`. */
export const api = createConsole({
  url: "",
  fetch: (request) => fetch(request, { signal: AbortSignal.any([request.signal, requests.signal]) }),
});

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

