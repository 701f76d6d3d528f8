/**
 * Returns the name of the reader's time zone, such as "Europe/Berlin". A browser that does not know the zone of its system
 * counts in UTC, and calls it "Etc/Unknown" or nothing.
 */
export function timeZone(): string {
  const { timeZone: name } = Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string };
  return !name || name === "Etc/Unknown" ? "UTC" : name;
}
