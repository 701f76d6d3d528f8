import type { Schema } from "@/api/client";
import type { Identity } from "@/api/session";

/** Returns the identity in the answer to a sign-in; undefined if the server asks for a second factor first. */
export function identityIn({ user, tenant, expires_at, must_enrol = false }: Schema<"SignedIn">): Identity | undefined {
  return user && expires_at ? { user, expires_at, must_enrol, ...(tenant && { tenant }) } : undefined;
}
