import { list, number, parse, record, text } from "./json";
import { serialize, stateOf, withoutFiles, type State } from "./storage";

/** A conversation of the history, which the browser keeps for each user. */
export interface Entry {
  /** The time of its last answer in milliseconds since 1970. */
  at: number;
  /** The beginning of the user's first message. */
  title: string;
  state: State;
}

/** The maximum number of conversations of the history. */
export const mostEntries = 30;

// Of all conversations together; the browser stores about five million for each origin.
const mostCharacters = 1_500_000;
const mostOfEntry = 300_000; // characters of one conversation
const longestTitle = 80; // characters

const latest = 8.64e15; // ms since 1970; a Date cannot be later

// signOut of api/session.ts removes all keys that begin with tollgate.playground.
const prefix = "tollgate.playground.history.";
const keyOf = (userId: string) => prefix + userId;

/**
 * Returns the history with the conversation in its first place, and without the oldest conversations if there are too
 * many or if they are too long. The contents of images and files are not kept.
 */
export function withConversation(entries: readonly Entry[], state: State, now: number): Entry[] {
  const first = { at: now, title: titleOf(state), state: stateOf(parse(serialize(withoutFiles(state), mostOfEntry))) };
  return bounded([first, ...entries.filter((entry) => entry.state.id !== state.id)]);
}

function bounded(entries: Entry[]): Entry[] {
  const kept: Entry[] = [];
  let characters = 0;
  for (const entry of entries.slice(0, mostEntries)) {
    characters += JSON.stringify(entry).length;
    if (characters > mostCharacters) break;
    kept.push(entry);
  }
  return kept;
}

function titleOf({ columns }: State): string {
  const first = columns[0]?.find((turn) => turn.role === "user");
  const title =
    first?.text.trim().replaceAll(/\s+/g, " ") || (first?.role === "user" && first.attachments?.[0]?.name) || "";
  return title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title;
}

/** Returns the history in a stored text. Malformed conversations are dropped. */
export function entriesOf(json: string | null): Entry[] {
  const entries = list(parse(json ?? ""))
    .map(record)
    .map(({ at, title, state }) => ({
      at: Math.min(number(at) ?? 0, latest),
      title: (text(title) ?? "").slice(0, longestTitle + 1),
      state: stateOf(state),
    }));
  return entries.filter(({ state }) => state.id !== "" && state.columns.flat().length > 0).slice(0, mostEntries);
}

/** Returns the user's history, the latest conversation first. */
export const readHistory = (userId: string): Entry[] => entriesOf(localStorage.getItem(keyOf(userId)));

/** Stores the user's history. If the browser has no room for it, older conversations are dropped until it fits. */
export function writeHistory(userId: string, entries: readonly Entry[]) {
  for (let kept = entries; ; kept = kept.slice(0, Math.floor(kept.length / 2))) {
    if (kept.length === 0) return localStorage.removeItem(keyOf(userId));
    try {
      return localStorage.setItem(keyOf(userId), JSON.stringify(kept));
    } catch {
      // There is no room: try again with half of it.
    }
  }
}

/** Removes the histories of other users, which their sign-out left behind, for example because a session ended. */
export function forgetOthers(userId: string) {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(prefix) && key !== keyOf(userId)) localStorage.removeItem(key);
}
