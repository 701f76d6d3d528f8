import { MutationCache, QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";

import { api, ask } from "./client";
import { hasStatus } from "./problem";

/** Reads the identity of the signed-in user. Fails with a 401 Problem if there is no session. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => ask(api.GET("/api/session")),
  staleTime: 60_000,
  retry: false,
});

/**
 * Rereads the session after a call was refused with 401. If the session has ended, the shell then leads to the
 * sign-in page.
 */
export function checkSession(error: unknown) {
  if (hasStatus(error, 401)) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

/**
 * The cache of everything that is read from the API. Reads are retried twice, except after answers that a retry would
 * repeat. Changes are never retried, because the first try may have succeeded.
 */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => query.queryKey[0] !== "session" && checkSession(error) }),
  mutationCache: new MutationCache({ onError: checkSession }),
  defaultOptions: {
    queries: {
      // Offline, a read fails and shows why. Otherwise it would wait for the network, and its page would load forever.
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 2 && !hasStatus(error, 400, 401, 403, 404, 409, 422),
    },
    mutations: { networkMode: "always", retry: false },
  },
});
