import { useEffect, useRef, useState } from "react";

import { type Entry, forgetOthers, readHistory, withConversation, writeHistory } from "./history";
import type { State } from "./storage";

/**
 * Keeps the user's conversations in the browser. The conversation is stored with each answer, and each change of its
 * turns. Without a user nothing is stored.
 */
export function useHistory(userId: string | undefined, { id, columns, settings, spent }: State) {
  const [stored, setStored] = useState<Entry[]>([]);
  const seen = useRef(columns);
  useEffect(() => {
    if (userId !== undefined) forgetOthers(userId);
  }, [userId]);
  useEffect(() => {
    // A conversation that was only opened keeps its time.
    if (userId === undefined || seen.current === columns || id === "" || columns.flat().at(-1)?.role === "user") return;
    seen.current = columns;
    if (columns.some((turns) => turns.some((turn) => turn.role === "assistant")))
      writeHistory(userId, withConversation(readHistory(userId), { id, columns, settings, spent }, Date.now()));
  }, [userId, id, columns, settings, spent]);
  const read = () => (userId === undefined ? [] : readHistory(userId));
  const write = (entries: Entry[]) => {
    if (userId !== undefined) writeHistory(userId, entries);
    setStored(entries);
  };
  return {
    entries: stored,
    /** Reads the history again: another page may have changed it. */
    read: () => setStored(read()),
    remove: (conversation: string) => write(read().filter(({ state }) => state.id !== conversation)),
    clear: () => write([]),
  };
}
