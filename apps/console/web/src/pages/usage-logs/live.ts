/** Returns the smallest UUIDv7 of a moment in ms. Greater ids were created at this moment or later. */
export function idAt(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

interface Identified {
  id: string;
}

/** Merges two lists of rows, newest first and without duplicates, and keeps the newest `most` rows. */
export function mergeNewest<Row extends Identified>(known: readonly Row[], found: readonly Row[], most: number): Row[] {
  // Later entries win, so a row that was read again replaces the older copy.
  const rows = new Map([...known, ...found].map((row) => [row.id, row]));
  return [...rows.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, most);
}

/** Returns the number of rows in `latest` that are not in `shown`. */
export function countNew(shown: readonly Identified[], latest: readonly Identified[]): number {
  const known = new Set(shown.map(({ id }) => id));
  return latest.filter(({ id }) => !known.has(id)).length;
}
