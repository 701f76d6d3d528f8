import { t } from "@lingui/core/macro";

import type { Call } from "./request";

/** The most characters of an answer that the page shows. */
const shown = 500_000;

/** What the relay has answered so far. */
export interface Result {
  status: number;
  statusText: string;
  /** Name and value, as far as the relay lets pages of other origins read them. */
  headers: [string, string][];
  text: string;
  /** True if the text was cut because it is long. */
  cut: boolean;
  /** Milliseconds from the start of the call. */
  took: number;
  done: boolean;
}

/**
 * Makes the call with the token, and passes on the answer each time more of it arrives. Fails if the relay cannot be
 * reached or does not permit calls from this page, and if the signal aborts the call.
 */
export async function run(
  call: Call,
  token: string,
  { signal, onResult }: { signal: AbortSignal; onResult: (result: Result) => void },
): Promise<void> {
  const start = performance.now();
  const response = await fetch(call.url, {
    method: call.method,
    headers: { ...call.headers, Authorization: `Bearer ${token}` },
    body: call.body,
    signal,
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  });
  let text = "";
  let cut = false;
  const report = (done: boolean) =>
    onResult({
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers],
      text: done ? pretty(text) : text,
      cut,
      took: Math.round(performance.now() - start),
      done,
    });
  report(false);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    cut ||= text.length + part.value.length > shown;
    text = (text + part.value).slice(0, shown);
    report(false);
  }
  report(true);
}

/** Indents a text that is JSON, and returns any other text unchanged. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Returns the ids of the models that the token can use. Fails with a message for the reader. */
export async function modelsOf(base: string, token: string, signal: AbortSignal): Promise<string[]> {
  const response = await fetch(`${base}/v1/models`, {
    headers: { Authorization: `Bearer ${token}` },
    signal,
    credentials: "omit",
    cache: "no-store",
    referrerPolicy: "no-referrer",
  }).catch((error: unknown) => {
    throw new Error(unreachable(base), { cause: error });
  });
  const { ok, status } = response;
  if (status === 401)
    throw new Error(t`The relay does not know this token. Copy it again, or create one in the console.`);
  if (!ok) throw new Error(t`Couldn't load the models of the token: the relay answered with status ${status}.`);
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

/** The message for a call without an answer. Browsers do not tell pages the reason. */
export function unreachable(base: string): string {
  const { origin } = window.location;
  return t`No response from ${base}. Your browser can't reach the relay, or the relay doesn't allow requests from ${origin} (TOLLGATE_CORS_ORIGINS).`;
}
