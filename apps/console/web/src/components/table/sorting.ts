import { i18n } from "@lingui/core";

import type { Value } from "./csv";

/**
 * Compares two plain values of a column: numbers by size, texts as a reader sorts them, with numbers in texts by size.
 */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === "string" && typeof b === "string")
    return a.localeCompare(b, i18n.locale, { numeric: true, sensitivity: "base" });
  const [x, y] = [Number(a), Number(b)];
  if (typeof a === "bigint" && typeof b === "bigint") return a < b ? -1 : Number(a > b);
  return x - y;
}
