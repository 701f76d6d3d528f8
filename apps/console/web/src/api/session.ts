import { useQuery } from "@tanstack/react-query";

import { api, ask, abortRequests, type Schema } from "./client";
import { queryClient, sessionQuery } from "./query";

/** The signed-in user, the user's tenant, and when the session expires. Operators have no tenant. */
export type Identity = Schema<"Identity">;
export type Role = Identity["user"]["role"];

/** Returns the identity of the signed-in user. Only pages below the signed-in route may call it. */
export function useIdentity(): Identity {
  const { data } = useQuery(sessionQuery);
  const identity = data ?? queryClient.getQueryData<Identity>(sessionQuery.queryKey);
  if (!identity) throw new Error("no session: the page is not below the signed-in route");
  return identity;
}

/**
 * Goes to the sign-in page. A full page load drops everything that was read for the previous user. After the next
 * sign-in the console opens `to`.
 */
export function leave(to?: string) {
  sessionStorage.clear(); // the stored state of the playground
  window.location.assign(to ? `/sign-in?to=${encodeURIComponent(to)}` : "/sign-in");
}

/**
 * Ends the session and goes to the sign-in page. Requests in flight are aborted first because the server would refuse
 * them.
 */
export async function signOut() {
  await queryClient.cancelQueries();
  abortRequests();
  await ask(api.DELETE("/api/session")).catch(() => undefined); // the session may have expired already
  leave();
}

/** Drops all data that was read for the previous user. Called at sign-in. */
export function forgetEverything() {
  queryClient.clear();
}

/** Reports whether the user runs the platform. */
export const isOperator = (identity: Identity) => identity.user.role === "operator";
/** Reports whether the user manages a tenant. Operators do not: they belong to no tenant. */
export const isAdmin = (identity: Identity) => identity.user.role === "admin" || identity.user.role === "owner";
