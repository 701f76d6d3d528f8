import type { Schema } from "@/api/client";
import { changesOf, type Change } from "@/pages/operator/catalog/rates";

type Price = Schema<"Price">;

/** A version of a price and its differences from the previous version. */
export interface Version {
  price: Price;
  /** The differences; undefined for the first version. */
  changes: Change[] | undefined;
}

/**
 * Returns the versions ordered by the moment from which they are effective, latest first. A version is never compared
 * with a withdrawn one, because a withdrawn version was never charged.
 */
export function versionsOf(prices: readonly Price[]): Version[] {
  const ordered = prices.toSorted(
    (a, b) => Date.parse(b.effective_from) - Date.parse(a.effective_from) || b.id.localeCompare(a.id),
  );
  return ordered.map((price, i) => {
    const before = ordered.slice(i + 1).find((other) => other.state !== "withdrawn");
    return { price, changes: before && changesOf(before.price, price.price) };
  });
}
