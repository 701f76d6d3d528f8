import { queryOptions, useQuery } from "@tanstack/react-query";

import { api, ask } from "./client";

/** What this installation is. */
export const platformQuery = queryOptions({
  queryKey: ["platform"],
  queryFn: () => ask(api.GET("/api/platform")),
  staleTime: Infinity,
});

/** What stands in code where the console was not told the relay's address. */
const unknownRelay = "https://your-relay.example.com";

/** The base URL of the OpenAI-compatible API, with /v1. `known` is false while, or where, it is a placeholder. */
export function useRelayBase(): { base: string; known: boolean } {
  const { data } = useQuery(platformQuery);
  const known = Boolean(data?.relay_url);
  return { base: `${(data?.relay_url || unknownRelay).replace(/\/+$/, "")}/v1`, known };
}
