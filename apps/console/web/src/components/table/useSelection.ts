import type { RowSelectionState } from "@tanstack/react-table";
import { type Dispatch, type SetStateAction, useMemo, useState } from "react";

/** The rows that a user has selected in a table, or in several that share the selection. */
export interface Selection {
  /** True for the keys of selected rows. It can have keys of rows that are not listed. */
  state: RowSelectionState;
  change: Dispatch<SetStateAction<RowSelectionState>>;
}

/** Holds a selection until the page is left. */
export function useSelection(): Selection {
  const [state, change] = useState<RowSelectionState>({});
  return useMemo(() => ({ state, change }), [state]);
}

/** Returns the state with the rows of the keys selected, or not; other rows stay as they are. */
export function withSelected(state: RowSelectionState, keys: readonly string[], selected: boolean): RowSelectionState {
  const changed = new Set(keys);
  const others = Object.keys(state).filter((key) => state[key] && !changed.has(key));
  return Object.fromEntries([...others, ...(selected ? keys : [])].map((key) => [key, true]));
}

/** Reports whether all, some or none of the rows are selected; "none" without rows. */
export function shareOfSelected(state: RowSelectionState, keys: readonly string[]): "all" | "some" | "none" {
  const count = keys.filter((key) => state[key]).length;
  if (count === 0) return "none";
  return count === keys.length ? "all" : "some";
}
