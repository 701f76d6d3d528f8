import type { Schema } from "@/api/client";
import { isAmount } from "@/components/form";
import { baseOf, classes, type RateName } from "@/components/usage/classes";
import { parseUsd, showUsd } from "@/format/money";

export type Rates = Schema<"Rates">;

/** The values of the price fields. "" means that a class has no price of its own. */
export type RateValues = Record<RateName, string>;

/** Returns the field values of an existing price, or empty fields. */
export const rateValues = (rates: Rates | undefined) => Object.fromEntries(classes.map(({ name }) => [name, rates?.[name] ?? ""])) as RateValues;

/** Returns the price in the fields. */
export function ratesOf(values: RateValues): Rates {
  const rates: Rates = {};
  for (const { name } of classes) {
    const text = values[name].trim();
    if (text) rates[name] = text;
  }
  return rates;
}

/** Reports whether every field is empty or a valid amount. */
export const areValidRates = (values: RateValues) => classes.every(({ name }) => values[name].trim() === "" || isAmount(values[name]));

/** Reports whether at least one class has a price above zero. */
export const chargesSomething = (rates: Rates) => classes.some(({ name }) => parseUsd(rates[name] ?? "0") > 0n);

/** The difference of one class between two versions of a price. A side without an own price is undefined. */
export interface Change {
  name: RateName;
  label: string;
  before: string | undefined;
  after: string | undefined;
  direction: "up" | "down";
  /** Such as "+12.5%"; undefined if one side has no price or the old price is zero. */
  percent: string | undefined;
}

/**
 * Returns the classes whose own price differs. The direction compares with the base class where a class has no own
 * price.
 */
export function changesOf(before: Rates | undefined, after: Rates): Change[] {
  const changes: Change[] = [];
  for (const { name, label } of classes) {
    const from = before?.[name];
    const to = after[name];
    if (from === to || (from !== undefined && to !== undefined && parseUsd(from) === parseUsd(to))) continue;
    const direction = parseUsd(implied(after, name)) >= parseUsd(implied(before, name)) ? "up" : "down";
    changes.push({ name, label, before: from, after: to, direction, percent: percentOf(from, to) });
  }
  return changes;
}

/** Returns the price that a class costs: its own, or that of its base class. */
function implied(rates: Rates | undefined, name: RateName): string {
  const base = baseOf(name);
  return rates?.[name] ?? (base ? implied(rates, base) : "0");
}

/**
 * Returns the difference in percent with at most one decimal. A difference that would round to zero is shown as
 * "<0.1%"; undefined if one side has no price or the old price is zero.
 */
export function percentOf(before: string | undefined, after: string | undefined): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const from = parseUsd(before);
  const difference = parseUsd(after) - from;
  if (from === 0n) return undefined;
  const size = difference < 0n ? -difference : difference;
  const permille = (size * 1000n + from / 2n) / from;
  const sign = difference < 0n ? "−" : "+";
  if (permille === 0n) return size === 0n ? "±0%" : `${sign}<0.1%`;
  const tenth = permille % 10n;
  return `${sign}${permille / 10n}${tenth > 0n ? `.${tenth}` : ""}%`;
}

/** The multiplier 1, with nine decimals like amounts. */
const scale = 1_000_000_000n;

/** Returns the exact product of an amount and a multiplier such as "0.85", with up to eighteen decimals. */
export function times(amount: string, multiplier: string): string {
  // Both factors have nine decimals, so the product has eighteen.
  const product = (parseUsd(amount) * parseUsd(multiplier)).toString().padStart(19, "0");
  const whole = product.slice(0, -18);
  const fraction = product.slice(-18).replace(/0+$/, "");
  return fraction ? `${whole}.${fraction}` : whole;
}

/** Formats an exact decimal with any number of decimals, such as "$0.1275". */
export function showExact(decimal: string): string {
  const [, fraction = ""] = decimal.split(".");
  return fraction.length <= 9 ? showUsd(decimal) : `$${decimal}`;
}

/** Reports whether the text is a multiplier that the API accepts. */
export const isMultiplier = (text: string) => /^\d{1,9}(\.\d{1,9})?$/.test(text.trim());

/** Describes a multiplier for display, such as "15% less than the model’s price". Multipliers are decimal strings. */
export function multiplierMeans(multiplier: string): string {
  const factor = parseUsd(multiplier);
  if (factor === scale) return "the model’s price";
  if (factor === 0n) return "nothing";
  return `${percentOf("1", multiplier)?.replace(/^[+−]/, "") ?? ""} ${factor > scale ? "more" : "less"} than the model’s price`;
}
