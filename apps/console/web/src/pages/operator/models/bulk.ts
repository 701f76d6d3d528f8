import type { Schema } from "@/api/client";
import { classes, type RateName } from "@/components/usage/classes";
import { decimalUsd, parseUsd } from "@/format/money";
import type { Model } from "@/pages/operator/catalog/queries";
import { isMultiplier, type Rates } from "@/pages/operator/catalog/rates";

/** The greatest number of models whose prices are changed together. */
export const maxModels = 200;

/** The factors of a change. "" leaves the prices of a class as they are. */
export interface Factors {
  /** One factor for all prices, or one for each class. */
  mode: "all" | "class";
  all: string;
  classes: Partial<Record<RateName, string>>;
  tools: string;
}

/** No change. */
export const noFactors: Factors = { mode: "all", all: "", classes: {}, tools: "" };

const scale = 1_000_000_000n; // the multiplier 1: factors have nine decimals, as amounts do

/** Returns the product of an amount and a factor, rounded half up to nine decimals. */
export const scaled = (amount: string, factor: string) =>
  decimalUsd((parseUsd(amount) * parseUsd(factor.trim()) + scale / 2n) / scale);

/** Reports whether a factor is empty or above zero. */
export const isFactor = (factor: string) =>
  factor.trim() === "" || (isMultiplier(factor) && parseUsd(factor.trim()) > 0n);

/** Reports whether all factors may be applied, and at least one changes something. */
export function areFactors(factors: Factors): boolean {
  const used = factors.mode === "all" ? [factors.all] : [...Object.values(factors.classes), factors.tools];
  return used.every(isFactor) && used.some((factor) => factor.trim() !== "" && parseUsd(factor.trim()) !== scale);
}

type ClassRates = Partial<Record<RateName, string>>;

/**
 * Returns a price with all its rates multiplied: those of tiers and service tiers too. Multipliers of service tiers
 * stay.
 */
export function changed(price: Rates, factors: Factors): Rates {
  const factorOf = (name: RateName) => (factors.mode === "all" ? factors.all : (factors.classes[name] ?? ""));
  const rates = <Part extends ClassRates>(part: Part): Part => {
    const next = { ...part };
    for (const { name } of classes) {
      const [rate, factor] = [part[name], factorOf(name)];
      if (rate !== undefined && factor.trim() !== "") next[name] = scaled(rate, factor) as Part[typeof name];
    }
    return next;
  };
  const next: Rates = rates(price);
  if (price.tiers) next.tiers = price.tiers.map(rates);
  if (price.service_tiers)
    next.service_tiers = Object.fromEntries(
      Object.entries(price.service_tiers).map(([name, tier]) => [
        name,
        { ...rates(tier), ...(tier.tiers && { tiers: tier.tiers.map(rates) }) },
      ]),
    );
  const tool = factors.mode === "all" ? factors.all : factors.tools;
  if (price.tools && tool.trim() !== "") next.tools = toolsOf(price.tools, tool);
  return next;
}

/** Multiplies the prices of tools. */
function toolsOf(prices: NonNullable<Rates["tools"]>, factor: string): NonNullable<Rates["tools"]> {
  const each = (part: object) =>
    Object.fromEntries(
      Object.entries(part).map(([name, price]): [string, unknown] => [
        name,
        typeof price === "string" ? scaled(price, factor) : each(price as object),
      ]),
    );
  return each(prices) as NonNullable<Rates["tools"]>;
}

/** Returns the models whose prices can be changed: those with a price. */
export const pricedModels = (models: readonly Model[]) => models.filter(({ price }) => price !== undefined);

/** The classes and tools that the models have a price for, in reading order. */
export function usedClasses(models: readonly Model[]): { classes: RateName[]; tools: boolean } {
  const parts = models.flatMap(({ price }) =>
    price
      ? [
          price,
          ...(price.tiers ?? []),
          ...Object.values(price.service_tiers ?? {}).flatMap((service) => [service, ...(service.tiers ?? [])]),
        ]
      : [],
  ) as ClassRates[];
  return {
    classes: classes.map(({ name }) => name).filter((name) => parts.some((part) => part[name] !== undefined)),
    tools: models.some(({ price }) => price?.tools !== undefined && Object.keys(price.tools).length > 0),
  };
}

/** Returns the changes of the models' prices, as the API takes them. */
export const changesFor = (models: readonly Model[], factors: Factors): Schema<"PriceChange">[] =>
  models.flatMap(({ id, price }) => (price ? [{ model: id, price: changed(price, factors) }] : []));
