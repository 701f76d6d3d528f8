/** The smallest UUIDv7 of a moment: ids that are greater were made then or later. */
export function idAt(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

interface Identified {
  id: string;
}

/** Adds what is newer to what is known, newest first, each once, and no more than `most`. */
export function mergeNewest<Row extends Identified>(known: readonly Row[], found: readonly Row[], most: number): Row[] {
  const rows = new Map([...known, ...found].map((row) => [row.id, row]));
  return [...rows.values()].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, most);
}

/** How many rows are in `latest` that `shown` has not. */
export function countNew(shown: readonly Identified[], latest: readonly Identified[]): number {
  const known = new Set(shown.map(({ id }) => id));
  return latest.filter(({ id }) => !known.has(id)).length;
}
