import { useMemo, useSyncExternalStore } from "react";

import { queryClient, sessionQuery } from "@/api/query";

import {
  type Arrangement,
  type Density,
  parseViews,
  reordered,
  type SortedBy,
  storageKey,
  type TableViews,
  withArrangement,
} from "./views";

/** The event by which the tables of this page learn of a change. The event "storage" reaches other windows only. */
const changed = "tollgate-tables";

/** What a browser that keeps no data for this site could not store. It lasts until the page is left. */
const unsaved = new Map<string, string>();

function read(key: string): string | undefined {
  try {
    return unsaved.get(key) ?? localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, views: TableViews) {
  const text = JSON.stringify(views);
  try {
    localStorage.setItem(key, text);
    unsaved.delete(key);
  } catch {
    unsaved.set(key, text);
  }
  window.dispatchEvent(new Event(changed));
}

function subscribe(notify: () => void) {
  for (const event of [changed, "storage"]) window.addEventListener(event, notify);
  return () => {
    for (const event of [changed, "storage"]) window.removeEventListener(event, notify);
  };
}

/**
 * Reads and changes what the signed-in user arranged. `name` is the name of the table; a table without one has only the
 * density.
 */
export function useViews(name: string | undefined) {
  const key = storageKey(queryClient.getQueryData(sessionQuery.queryKey)?.user.id ?? "");
  const text = useSyncExternalStore(subscribe, () => read(key));
  const views = useMemo(() => parseViews(text), [text]);
  const arrange = (arrangement: Arrangement | undefined) =>
    name !== undefined && write(key, withArrangement(parseViews(read(key)), name, arrangement));
  return {
    density: views.density,
    setDensity: (density: Density) => write(key, { ...parseViews(read(key)), density }),
    arrangement: name === undefined ? undefined : views.tables[name],
    /** Remembers an arrangement; undefined returns to the default. */
    arrange,
    /** The order of the rows that the user chose last. */
    sorted: name === undefined ? undefined : views.tables[name]?.sorted,
    /** Remembers an order of the rows; undefined returns to the list's own. */
    remember: (sorted: SortedBy | undefined) =>
      name !== undefined && arrange(reordered(parseViews(read(key)).tables[name], sorted)),
  };
}
