import { i18n } from "@lingui/core";

import type { Value } from "./csv";

/** A moment as the API writes it. Its fraction of a second has as many digits as it needs. */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/**
 * Compares two plain values of a column: numbers by size, moments by time, other texts as a reader sorts them, with
 * whole numbers in texts by size.
 */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === "string" && typeof b === "string") {
    if (moment.test(a) && moment.test(b)) {
      const [x, y] = [a.slice(0, -1), b.slice(0, -1)]; // without the Z, which would come after a digit
      return x < y ? -1 : Number(x > y);
    }
    return a.localeCompare(b, i18n.locale, { numeric: true, sensitivity: "base" });
  }
  const [x, y] = [Number(a), Number(b)];
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : Number(a > b);
  return x - y;
}
