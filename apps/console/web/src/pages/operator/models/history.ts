import type { Schema } from "@/api/client";
import { changesOf, type Change } from "@/pages/operator/catalog/rates";

type Price = Schema<"Price">;

/** A version of a price with how it differs from the one that it follows. */
export interface Version {
  price: Price;
  /** undefined for the first one. */
  changes: Change[] | undefined;
}

/** Versions in the order of the moments from which they hold, latest first. What is withdrawn is followed by nothing. */
export function versionsOf(prices: readonly Price[]): Version[] {
  const ordered = prices.toSorted((a, b) => Date.parse(b.effective_from) - Date.parse(a.effective_from) || b.id.localeCompare(a.id));
  return ordered.map((price, i) => {
    const before = ordered.slice(i + 1).find((other) => other.state !== "withdrawn");
    return { price, changes: before && changesOf(before.price, price.price) };
  });
}
