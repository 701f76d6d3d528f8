import { createConsole, type Schema } from "@tollgate/client/console";

import { Problem } from "./problem";

export type { Schema } from "@tollgate/client/console";

let line = new AbortController();

/** The console's API, with the session cookie of this page. Wrap each call in `ask`. */
export const api = createConsole({
  url: "",
  fetch: (request) => fetch(request, { signal: AbortSignal.any([request.signal, line.signal]) }),
});

/** Gives up all calls that are under way. */
export function hangUp() {
  line.abort();
  line = new AbortController();
}

/** The data of an answer; a refused call is thrown as a Problem. */
export async function ask<Data>(call: Promise<{ data?: Data; error?: unknown; response: Response }>): Promise<Data> {
  const { data, error, response } = await call;
  if (!response.ok) throw new Problem(response.status, isProblemBody(error) ? error : undefined);
  return data as Data;
}

function isProblemBody(body: unknown): body is Schema<"Error"> {
  return typeof body === "object" && body !== null && "detail" in body;
}

