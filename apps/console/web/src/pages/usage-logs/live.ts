/** Returns the smallest UUIDv7 of a moment in ms. Greater ids were created at this moment or later. */
export function idAt(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

interface Identified {
  id: string;
}

/** The newest rows of a list: a whole page, and those that were found after it. */
export interface Newest<Row> {
  rows: Row[];
  /** The cursor of the rows after these, "" if there are none. */
  next: string;
  /** When the whole page was read, in ms. */
  pageAt: number;
}

/** The number of rows up to which the first page grows. A longer one is read again as one page. */
export const mostRows = 200;

/** Merges two lists of rows, newest first and without duplicates. */
export function mergeNewest<Row extends Identified>(known: readonly Row[], found: readonly Row[]): Row[] {
  // Later entries win, so a row that was read again replaces the older copy.
  const rows = new Map([...known, ...found].map((row) => [row.id, row]));
  return [...rows.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/**
 * Adds the newest rows to those that are known; undefined if a whole page must be read instead: if rows between the two
 * may be missing, or if the list would become too long. `complete` tells whether `found` has all rows since the moment
 * that was asked for.
 */
export function grow<Row extends Identified>(
  known: Newest<Row>,
  found: readonly Row[],
  complete: boolean,
): Newest<Row> | undefined {
  if (!complete) return undefined;
  const rows = mergeNewest(known.rows, found);
  return rows.length > mostRows ? undefined : { ...known, rows };
}

/** Returns the number of rows in `latest` that are not in `shown`. */
export function countNew(shown: readonly Identified[], latest: readonly Identified[]): number {
  const known = new Set(shown.map(({ id }) => id));
  return latest.filter(({ id }) => !known.has(id)).length;
}
