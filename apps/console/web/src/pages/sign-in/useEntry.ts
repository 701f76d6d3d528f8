import { useRouter } from "@tanstack/react-router";

import { queryClient, sessionQuery } from "@/api/query";
import { forgetEverything, type Identity } from "@/api/session";

/**
 * Returns a function that completes a sign-in: it drops all cached data, stores the identity and opens the page `to`.
 */
export function useEntry() {
  const router = useRouter();
  return (identity: Identity, to: string) => {
    forgetEverything();
    queryClient.setQueryData(sessionQuery.queryKey, identity);
    router.history.replace(to);
  };
}
