// A client of the API of Tollgate's console: tokens, usage logs, quota,
// members, and for operators everything else.
import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./console.gen.js";

export type { components, paths } from "./console.gen.js";

/** A schema of the console's OpenAPI document by its name. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

export interface ConsoleOptions {
  /** Where the console is, such as https://console.example.com; "" in a page of the console itself. */
  url: string;
  /** An access key made in the console. A page of the console needs none: the browser sends its session cookie. */
  accessKey?: string;
  fetch?: (request: Request) => Promise<Response>;
}

export type Console = Client<paths>;

/** Returns a client of the console: `await console.GET("/api/usage-logs")`. */
export function createConsole({ url, accessKey, fetch }: ConsoleOptions): Console {
  return createClient<paths>({ baseUrl: url, ...(accessKey && { headers: { Authorization: `Bearer ${accessKey}` } }), ...(fetch && { fetch }) });
}
