// A client of the API of Tollgate's console: tokens, usage logs, quota, members, and for operators the management of
// the whole platform.
import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./console.gen.js";

export type { components, paths } from "./console.gen.js";

/** The type of a schema of the console's OpenAPI document, by its name. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** The options of createConsole. */
export interface ConsoleOptions {
  /** The URL of the console, for example https://console.example.com; "" in a page of the console itself. */
  url: string;
  /** An access key, created in the console. A page of the console needs none: the browser sends the session cookie. */
  accessKey?: string;
  /** Sends the requests in place of the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** A client of the console, typed by the paths of its OpenAPI document. */
export type Console = Client<paths>;

/**
 * Returns a client of the console. Its methods return the data or the error: `const { data, error } = await
 * console.GET("/api/usage-logs")`. They throw if there is no response.
 */
export function createConsole({ url, accessKey, fetch }: ConsoleOptions): Console {
  return createClient<paths>({ baseUrl: url, ...(accessKey && { headers: { Authorization: `Bearer ${accessKey}` } }), ...(fetch && { fetch }) });
}
