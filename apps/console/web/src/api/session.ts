import { useQuery } from "@tanstack/react-query";

import { isLanguage, type Language } from "@/locale/languages";
import { chooseLanguage, language } from "@/locale/messages";

import { api, ask, abortRequests, type Schema } from "./client";
import { hasStatus } from "./problem";
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
 * sign-in the console opens `to`. The sign-in page shows the reason, one of those of pages/sign-in/ways.ts.
 */
export function leave(search: { to?: string; error?: string } = {}) {
  sessionStorage.clear(); // the stored state of the playground
  const query = new URLSearchParams(search).toString();
  window.location.assign(query ? `/sign-in?${query}` : "/sign-in");
}

/**
 * Ends the session, after which the caller leaves. Fails if the session may still be valid. Requests in flight are
 * aborted first because the server would refuse them.
 */
export async function signOut() {
  await queryClient.cancelQueries();
  abortRequests();
  try {
    await ask(api.DELETE("/api/session"));
  } catch (error) {
    // The session may have expired already.
    if (!hasStatus(error, 401)) {
      void queryClient.invalidateQueries(); // reads what was aborted
      throw error;
    }
  }
  // The history of the playground.
  for (const key of Object.keys(localStorage)) if (key.startsWith("tollgate.playground.")) localStorage.removeItem(key);
}

/**
 * Makes the language of the user's account that of this browser. An account without a language gets that of the
 * browser, so that mails are in the language that the user reads.
 */
export async function takeLanguage({ user }: Identity) {
  if (isLanguage(user.language)) {
    if (user.language !== language() && !kept) await chooseLanguage(user.language);
  } else if (offered !== user.id) {
    offered = user.id;
    void keepLanguage(language());
  }
}

let offered: string | undefined; // the user whose account was given a language since the page was loaded

/** Changes the language of the console, and of the user's account. */
export async function changeLanguage(tag: Language) {
  await Promise.all([chooseLanguage(tag), keepLanguage(tag)]);
}

/**
 * Stores the language with the account. If that fails, the choice still holds in this browser. Changes are sent one
 * after the other, and only the answer to the last one counts, so that a late answer cannot bring an earlier language
 * back.
 */
async function keepLanguage(tag: Language) {
  const mine = Promise.resolve(kept).then(async () => {
    if (kept !== mine) return;
    const changed = await ask(api.PATCH("/api/session", { body: { language: tag } })).catch(() => undefined);
    if (kept !== mine) return;
    if (changed) queryClient.setQueryData(sessionQuery.queryKey, changed);
    kept = undefined;
  });
  kept = mine;
  await mine;
}

// The change of the account's language that is being sent or waits, undefined for none.
let kept: Promise<void> | undefined;

/** Drops all data that was read for the previous user. Called at sign-in. */
export function forgetEverything() {
  queryClient.clear();
}

/** Reports whether the user runs the platform. */
export const isOperator = (identity: Identity) => identity.user.role === "operator";
/** Reports whether the user manages a tenant. Operators do not: they belong to no tenant. */
export const isAdmin = (identity: Identity) => identity.user.role === "admin" || identity.user.role === "owner";
/** Reports whether a user who manages a tenant may change a member of it: only owners change owners. */
export const mayChange = ({ user }: Identity, member: { role: Role }) =>
  user.role === "owner" || member.role !== "owner";
