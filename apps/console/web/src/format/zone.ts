import { perLanguage } from "./locale";
import { timeZone } from "./timeZone";

const offset = perLanguage("date", (tag) => new Intl.DateTimeFormat(tag, { timeZoneName: "shortOffset" }));

/**
 * Returns the name of the reader's time zone with its distance from UTC at a moment, such as "Europe/Berlin (GMT+1)" or
 * "UTC".
 */
export function zoneName(at: number): string {
  const name = timeZone();
  if (name === "UTC") return name;
  const distance = offset()
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value;
  return distance === undefined ? name : `${name} (${distance})`;
}
