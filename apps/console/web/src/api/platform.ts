import { queryOptions, useQuery } from "@tanstack/react-query";

import { api, ask } from "./client";

/**
 * Reads the public settings of this installation, such as the relay's address. They do not change while the page is
 * open.
 */
export const platformQuery = queryOptions({
  queryKey: ["platform"],
  queryFn: () => ask(api.GET("/api/platform")),
  staleTime: Infinity,
});

/** The placeholder in code examples if the operator did not configure the relay's address. */
const unknownRelay = "https://your-relay.example.com";

/**
 * Returns the base URL of the OpenAI-compatible API, which ends in /v1. `known` is false while the address loads and
 * if it is a placeholder.
 */
export function useRelayBase(): { base: string; known: boolean } {
  const { data } = useQuery(platformQuery);
  const known = Boolean(data?.relay_url);
  return { base: `${(data?.relay_url || unknownRelay).replace(/\/+$/, "")}/v1`, known };
}
