import type { Schema } from "@/api/client";
import { isAmount } from "@/components/form";
import { baseOf, classes, type RateName } from "@/components/usage/classes";
import { parseUsd, showUsd } from "@/format/money";
import { showCount } from "@/format/number";

export type Rates = Schema<"Rates">;

/** Prices by class, of a whole price or of one of its tiers. */
type ClassRates = Partial<Record<RateName, string>>;

/** The values of the price fields. "" means that a class has no price of its own. */
export type RateValues = Record<RateName, string>;

/** The fields of a tier. "" means that the threshold is missing. */
export interface TierValues {
  above: number | string;
  rates: RateValues;
}

/** The fields of a price. */
export interface PriceValues {
  rates: RateValues;
  tiers: TierValues[];
}

/** The greatest number of tiers that the API accepts. */
export const maxTiers = 10;

/** Returns the field values of existing prices, or empty fields. */
export const rateValues = (rates: ClassRates | undefined) => Object.fromEntries(classes.map(({ name }) => [name, rates?.[name] ?? ""])) as RateValues;

/** Returns the field values of an existing price, or empty fields. */
export const priceValues = (price: Rates | undefined): PriceValues => ({
  rates: rateValues(price),
  tiers: (price?.tiers ?? []).map((tier) => ({ above: tier.above_input, rates: rateValues(tier) })),
});

/** Returns the prices in the fields. */
export function ratesOf(values: RateValues): ClassRates {
  const rates: ClassRates = {};
  for (const { name } of classes) {
    const text = values[name].trim();
    if (text) rates[name] = text;
  }
  return rates;
}

/** Returns the price in the fields. */
export function priceOf({ rates, tiers }: PriceValues): Rates {
  const price: Rates = ratesOf(rates);
  if (tiers.length > 0) price.tiers = tiers.map((tier) => ({ above_input: Number(tier.above), ...ratesOf(tier.rates) }));
  return price;
}

/** Reports whether every field is empty or a valid amount. */
export const areValidRates = (values: RateValues) => classes.every(({ name }) => values[name].trim() === "" || isAmount(values[name]));

/** Reports whether the fields are valid: amounts, and tiers with prices in ascending order of their thresholds. */
export const isValidPrice = ({ rates, tiers }: PriceValues) =>
  areValidRates(rates) &&
  tiers.every((tier, i) => areValidRates(tier.rates) && Object.keys(ratesOf(tier.rates)).length > 0 && Number(tier.above) > Number(tiers[i - 1]?.above ?? 0));

/** Reports whether at least one class has a price above zero. */
export const chargesSomething = (rates: Rates) => [rates, ...(rates.tiers ?? [])].some((some: ClassRates) => classes.some(({ name }) => parseUsd(some[name] ?? "0") > 0n));

/** The difference of one class between two versions of a price. A side without an own price is undefined. */
export interface Change {
  /** The name of the class; in a tier, with its threshold. */
  name: string;
  label: string;
  before: string | undefined;
  after: string | undefined;
  direction: "up" | "down";
  /** Such as "+12.5%"; undefined if one side has no price or the old price is zero. */
  percent: string | undefined;
}

/**
 * Returns the classes whose own price differs, then those of tiers. The direction compares what such tokens cost where a
 * class has no own price.
 */
export function changesOf(before: Rates | undefined, after: Rates): Change[] {
  const thresholds = new Set([before, after].flatMap((price) => price?.tiers ?? []).map((tier) => tier.above_input));
  return [0, ...[...thresholds].toSorted((a, b) => a - b)].flatMap((above) => changesAbove(before, after, above));
}

/** Returns the differences of the tier with this threshold; of the price without its tiers for 0. */
function changesAbove(before: Rates | undefined, after: Rates, above: number): Change[] {
  const changes: Change[] = [];
  for (const { name, label } of classes) {
    const from = own(before, name, above);
    const to = own(after, name, above);
    if (from === to || (from !== undefined && to !== undefined && parseUsd(from) === parseUsd(to))) continue;
    const direction = parseUsd(paid(after, name, above)) >= parseUsd(paid(before, name, above)) ? "up" : "down";
    changes.push({
      name: above ? `${name} above ${above}` : name, label: above ? `${label} above ${showCount(above)}` : label,
      before: from, after: to, direction, percent: percentOf(from, to),
    });
  }
  return changes;
}

/** Returns the own price of a class in the tier with this threshold. */
const own = (price: Rates | undefined, name: RateName, above: number) => (above ? price?.tiers?.find((tier) => tier.above_input === above) : price)?.[name];

/** Returns what a class costs in calls above a threshold. */
function paid(price: Rates | undefined, name: RateName, above: number): string {
  const tier = price?.tiers?.findLast((found) => found.above_input <= above);
  return implied(tier, name) ?? implied(price, name) ?? "0";
}

/** Returns the own price of a class, or that of the class whose price applies in its place. */
function implied(rates: ClassRates | undefined, name: RateName): string | undefined {
  const base = baseOf(name);
  return rates?.[name] ?? (base && implied(rates, base));
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
