import { useRouter } from "@tanstack/react-router";

import type { Schema } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import { forgetEverything, type Identity } from "@/api/session";

/** Returns the identity in the answer to a sign-in; undefined if the server asks for a second factor first. */
export function identityIn({ user, tenant, expires_at, must_enrol = false }: Schema<"SignedIn">): Identity | undefined {
  return user && expires_at ? { user, expires_at, must_enrol, ...(tenant && { tenant }) } : undefined;
}

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
