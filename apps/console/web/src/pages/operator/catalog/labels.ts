import { t } from "@lingui/core/macro";

import { labelOf, type RateName } from "@/components/usage/classes";
import { showCount } from "@/format/number";

/** Joins the items of a list. */
export const listed = (items: readonly string[]) =>
  items.join(t({ message: ", ", context: "list", comment: "Between the items of a list" }));

/**
 * Returns the label of the price of a class or a tool with its unit, such as "Input / 1M tokens" or, if `short`, "Input
 * / 1M".
 */
export function labelWithUnit(name: string, short = false): string {
  const label = labelOf(name);
  switch (name) {
    case "request":
      return label;
    case "web_search":
    case "file_search":
      return t`${label} / call`;
    case "code_interpreter":
      return t`${label} / session`;
    default:
      return short ? t`${label} / 1M` : t`${label} / 1M tokens`;
  }
}

/**
 * Describes the price of a class without a price of its own. `base` is the class whose price applies; undefined if
 * there is none.
 */
export function impliedPrice(base: RateName | undefined): string {
  switch (base) {
    case undefined:
      return t`None`;
    case "output":
      return t`Same as output`;
    case "cache_write":
      return t`Same as cache write`;
    default:
      return t`Same as input`;
  }
}

/**
 * Adds to the label of a price where the price applies: in a service tier ("" for ordinary requests), above a number of
 * input tokens (0 for all).
 */
export function labelIn(label: string, { service, above }: { service: string; above: number }): string {
  const threshold = showCount(above);
  if (service && above > 0) return t`${label} with ${service}, above ${threshold}`;
  if (service) return t`${label} with ${service}`;
  return above > 0 ? t`${label} above ${threshold}` : label;
}
