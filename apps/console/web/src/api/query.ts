import { MutationCache, QueryCache, QueryClient, queryOptions } from "@tanstack/react-query";

import { api, ask } from "./client";
import { hasStatus } from "./problem";

/** Who is signed in; fails with a 401 Problem where nobody is. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => ask(api.GET("/api/session")),
  staleTime: 60_000,
  retry: false,
});

/** A session that ended meanwhile shows at the next call: the guard of the routes then asks to sign in. */
function notice(error: unknown) {
  if (hasStatus(error, 401)) void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => query.queryKey[0] !== "session" && notice(error) }),
  mutationCache: new MutationCache({ onError: notice }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 2 && !hasStatus(error, 400, 401, 403, 404, 409, 422),
    },
    mutations: { retry: false },
  },
});
