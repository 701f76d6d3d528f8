import { useQuery } from "@tanstack/react-query";

import { api, ask, abortRequests, type Schema } from "./client";
import { queryClient, sessionQuery } from "./query";

export type Identity = Schema<"Identity">;
export type Role = Identity["user"]["role"];

/** Who is signed in. Only pages behind the guard of the routes may ask. */
export function useIdentity(): Identity {
  const { data } = useQuery(sessionQuery);
  const identity = data ?? queryClient.getQueryData<Identity>(sessionQuery.queryKey);
  if (!identity) throw new Error("no session: the page stands outside the guard");
  return identity;
}

/** Leaves for the sign-in by loading it anew: nothing that was read in one user's name outlives this. `to` is where the next one goes on. */
export function leave(to?: string) {
  sessionStorage.clear(); // what the playground keeps over a reload
  window.location.assign(to ? `/sign-in?to=${encodeURIComponent(to)}` : "/sign-in");
}

/** Ends the session, and leaves. What is under way is given up first: it would be refused. */
export async function signOut() {
  await queryClient.cancelQueries();
  abortRequests();
  await ask(api.DELETE("/api/session")).catch(() => undefined); // it may have ended already
  leave();
}

/** Forgets all that was read in one user's name, at sign-in. */
export function forgetEverything() {
  queryClient.clear();
}

export const isOperator = (identity: Identity) => identity.user.role === "operator";
export const isAdmin = (identity: Identity) => identity.user.role === "admin" || identity.user.role === "owner";
