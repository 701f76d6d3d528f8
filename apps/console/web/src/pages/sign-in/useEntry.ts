import { useRouter } from "@tanstack/react-router";

import type { Schema } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import { forgetEverything, type Identity } from "@/api/session";

/** Who an answer says is signed in now; undefined where it asks for a second factor first. */
export function identityIn({ user, tenant, expires_at }: Schema<"SignedIn">): Identity | undefined {
  return user && expires_at ? { user, expires_at, ...(tenant && { tenant }) } : undefined;
}

/** Goes on as somebody who just signed in. */
export function useEntry() {
  const router = useRouter();
  return (identity: Identity, to: string) => {
    forgetEverything();
    queryClient.setQueryData(sessionQuery.queryKey, identity);
    router.history.replace(to);
  };
}
