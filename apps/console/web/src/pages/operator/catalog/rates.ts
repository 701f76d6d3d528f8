import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { isAmount } from "@/components/form";
import { baseOf, classes, labelOf, tools, type RateName, type ToolName } from "@/components/usage/classes";
import { decimalUsd, parseUsd } from "@/format/money";
import { showPercent } from "@/format/number";

import { labelIn } from "./labels";

export type Rates = Schema<"Rates">;
type ServiceTier = Schema<"ServiceTier">;

/** Prices by class, of a whole price or of one of its tiers. */
type ClassRates = Partial<Record<RateName, string>>;

/** The values of the price fields. "" means that a class has no price of its own. */
export type RateValues = Record<RateName, string>;

/** The fields of a tier. "" means that the threshold is missing. */
export interface TierValues {
  above: number | string;
  rates: RateValues;
}

/** The fields of a service tier: a multiplier, or prices of its own if `multiplier` is undefined. */
export interface ServiceValues {
  name: string;
  multiplier: string | undefined;
  rates: RateValues;
  tiers: TierValues[];
}

/** The fields of the prices of tools. "" means that a tool has no price. */
export type ToolValues = Record<ToolName, string>;

/** The fields of a price. */
export interface PriceValues {
  rates: RateValues;
  tiers: TierValues[];
  services: ServiceValues[];
  tools: ToolValues;
}

/** The greatest numbers of tiers and of service tiers that the API accepts. */
export const maxTiers = 10;
export const maxServiceTiers = 8;

/** Returns the field values of existing prices, or empty fields. */
export const rateValues = (rates: ClassRates | undefined) =>
  Object.fromEntries(classes.map(({ name }) => [name, rates?.[name] ?? ""])) as RateValues;

const tierValues = (tiers: Rates["tiers"]): TierValues[] =>
  (tiers ?? []).map((tier) => ({ above: tier.above_input, rates: rateValues(tier) }));

/** Returns the field values of an existing price, or empty fields. */
export const priceValues = (price: Rates | undefined): PriceValues => ({
  rates: rateValues(price),
  tiers: tierValues(price?.tiers),
  services: Object.entries(price?.service_tiers ?? {}).map(([name, service]) => ({
    name,
    multiplier: service.multiplier,
    rates: rateValues(service),
    tiers: tierValues(service.tiers),
  })),
  tools: Object.fromEntries(tools.map(({ name }) => [name, toolPrice(price, name) ?? ""])) as ToolValues,
});

/** Returns the price of a tool; undefined if it has none. */
export function toolPrice(price: Rates | undefined, name: ToolName): string | undefined {
  const images = price?.tools?.image_generation;
  switch (name) {
    case "image_generation_input":
      return images?.input;
    case "image_generation_image_input":
      return images?.image_input;
    case "image_generation_output":
      return images?.output;
    default:
      return price?.tools?.[name];
  }
}

/** Returns the prices in the fields. */
export function ratesOf(values: RateValues): ClassRates {
  const rates: ClassRates = {};
  for (const { name } of classes) {
    const text = values[name].trim();
    if (text) rates[name] = text;
  }
  return rates;
}

const tiersOf = (tiers: TierValues[]) =>
  tiers.map((tier) => ({ above_input: Number(tier.above), ...ratesOf(tier.rates) }));

/** Returns the prices of tools in the fields; undefined if all are empty. */
function toolsOf(values: ToolValues): Rates["tools"] {
  const filled = Object.fromEntries(
    tools.map(({ name }) => [name, values[name].trim()]).filter(([, text]) => text),
  ) as Partial<ToolValues>;
  const {
    image_generation_input: input,
    image_generation_image_input: image_input,
    image_generation_output: output,
    ...calls
  } = filled;
  const images = { ...(input && { input }), ...(image_input && { image_input }), ...(output && { output }) };
  const all = { ...calls, ...(Object.keys(images).length > 0 && { image_generation: images }) };
  return Object.keys(all).length > 0 ? all : undefined;
}

const serviceOf = ({ multiplier, rates, tiers }: ServiceValues): ServiceTier =>
  multiplier === undefined
    ? { ...ratesOf(rates), ...(tiers.length > 0 && { tiers: tiersOf(tiers) }) }
    : { multiplier: multiplier.trim() };

/** Returns the price in the fields. */
export function priceOf(values: PriceValues): Rates {
  const price: Rates = ratesOf(values.rates);
  if (values.tiers.length > 0) price.tiers = tiersOf(values.tiers);
  if (values.services.length > 0)
    price.service_tiers = Object.fromEntries(
      values.services.map((service) => [service.name.trim(), serviceOf(service)]),
    );
  const toolPrices = toolsOf(values.tools);
  if (toolPrices) price.tools = toolPrices;
  return price;
}

/** Reports whether every field is empty or a valid amount. */
export const areValidRates = (values: RateValues) =>
  classes.every(({ name }) => values[name].trim() === "" || isAmount(values[name]));

/** Reports whether the text can be the name of a service tier that is not the ordinary one. */
export const isServiceTier = (name: string) =>
  /^[a-z0-9_-]{1,32}$/.test(name.trim()) &&
  !["default", "standard", "standard_only", "on_demand", "auto"].includes(name.trim());

/** Reports whether at least one field has a price. */
const names = (values: RateValues) => Object.keys(ratesOf(values)).length > 0;

/**
 * Returns what is wrong with the threshold of a tier; undefined if it may be sent. `before` is the tier above it on the
 * form.
 */
export function thresholdFault(tier: TierValues, before: TierValues | undefined): string | undefined {
  if (Number(tier.above) <= 0) return t`Enter the number of input tokens above which the tier applies.`;
  return Number(tier.above) > Number(before?.above ?? 0) ? undefined : t`Enter more tokens than in the previous tier.`;
}

/** Returns what is wrong with the name of a service tier; undefined if it may be sent. */
export function serviceNameFault(services: ServiceValues[], i: number): string | undefined {
  const name = services[i]?.name.trim() ?? "";
  if (!isServiceTier(name))
    return t`Use a-z, 0-9, - and _. The names default, standard, standard_only, on_demand and auto are reserved.`;
  return services.findIndex((other) => other.name.trim() === name) < i
    ? t`Another service tier has this name.`
    : undefined;
}

/** Returns what is wrong with a multiplier; undefined if it may be sent. */
export const multiplierFault = (multiplier: string) =>
  isMultiplier(multiplier) && parseUsd(multiplier.trim()) > 0n
    ? undefined
    : t`Enter a decimal above zero, such as 2 or 0.5.`;

const amounts = () => t`Correct the marked amounts.`;

/** Returns what is wrong with the tiers of ordinary requests, or with those of a service tier. */
function tiersFault(tiers: TierValues[], service?: string): string | undefined {
  for (const [i, tier] of tiers.entries()) {
    if (thresholdFault(tier, tiers[i - 1])) {
      return service === undefined
        ? t`Enter the input tokens of each tier, in ascending order.`
        : t`Enter the input tokens of each tier of service tier ${service}, in ascending order.`;
    }
    if (!areValidRates(tier.rates)) return amounts();
    if (!names(tier.rates)) {
      return service === undefined
        ? t`Enter at least one price in each tier for long inputs.`
        : t`Enter at least one price in each tier for long inputs of service tier ${service}.`;
    }
  }
  return undefined;
}

function serviceFault({ name, multiplier, rates, tiers }: ServiceValues, ordinary: TierValues[]): string | undefined {
  if (multiplier !== undefined) return multiplierFault(multiplier) && t`Enter the multiplier of service tier ${name}.`;
  if (!areValidRates(rates)) return amounts();
  if (!names(rates) && tiers.length === 0) return t`Enter at least one price for service tier ${name}.`;
  if (ordinary.length > 0 && tiers.length === 0) return t`Add tiers for long inputs to service tier ${name}.`;
  return tiersFault(tiers, name);
}

/** Returns what is missing or wrong in the fields of a price, one sentence; undefined if they may be sent. */
export function priceFault({ rates, tiers, services, tools: prices }: PriceValues): string | undefined {
  if (!areValidRates(rates) || tools.some(({ name }) => prices[name].trim() !== "" && !isAmount(prices[name])))
    return amounts();
  const faults = services.map((service, i) =>
    serviceNameFault(services, i) ? t`Give each service tier a different name.` : serviceFault(service, tiers),
  );
  return [tiersFault(tiers), ...faults].find((fault) => fault !== undefined);
}

/** Reports whether at least one class or tool has a price above zero. */
export const chargesSomething = (price: Rates) =>
  [
    price,
    ...(price.tiers ?? []),
    ...Object.values(price.service_tiers ?? {}).flatMap((service) => [service, ...(service.tiers ?? [])]),
  ].some((some: ClassRates) => classes.some(({ name }) => parseUsd(some[name] ?? "0") > 0n)) ||
  tools.some(({ name }) => parseUsd(toolPrice(price, name) ?? "0") > 0n);

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
  /** Whether the two are multipliers instead of amounts. */
  factor?: true;
}

/**
 * Which prices of a price are compared: those of calls in a service tier ("" for ordinary calls), above a threshold (0
 * for all).
 */
interface Part {
  service: string;
  above: number;
}

/**
 * Returns the classes whose own price differs, then those of tiers, of service tiers and of tools. The direction
 * compares what such tokens cost where a class has no own price.
 */
export function changesOf(before: Rates | undefined, after: Rates): Change[] {
  const both = [before, after];
  const services = ["", ...new Set(both.flatMap((price) => Object.keys(price?.service_tiers ?? {})).toSorted())];
  return [
    ...services.flatMap((service) => {
      const thresholds = new Set(
        both.flatMap((price) => partOf(price, service)?.tiers ?? []).map((tier) => tier.above_input),
      );
      return [0, ...[...thresholds].toSorted((a, b) => a - b)].flatMap((above) =>
        changesIn(before, after, { service, above }),
      );
    }),
    ...tools.flatMap(({ name }) =>
      changeOf({ name, label: labelOf(name) }, [toolPrice(before, name), toolPrice(after, name)]),
    ),
  ];
}

/** Returns the price of ordinary calls, or that of a service tier. */
const partOf = (
  price: Rates | undefined,
  service: string,
): (ClassRates & Pick<Rates, "tiers"> & { multiplier?: string }) | undefined =>
  service ? price?.service_tiers?.[service] : price;

/** Returns the differences of one part of a price. */
function changesIn(before: Rates | undefined, after: Rates, part: Part): Change[] {
  const { service, above } = part;
  const key = [service, above > 0 && `above ${above}`].filter(Boolean).join(" ");
  const factors: [string | undefined, string | undefined] = [
    partOf(before, service)?.multiplier,
    partOf(after, service)?.multiplier,
  ];
  // Not translated: the name is a key.
  const named = { name: `multiplier ${service}`, label: labelIn(t`Multiplier`, part), factor: true } as const;
  const multiplier =
    service && above === 0
      ? changeOf(
          named,
          factors,
          factors.map((factor) => factor ?? "1"),
        )
      : [];
  return [
    ...multiplier,
    ...classes.flatMap(({ name }) =>
      changeOf(
        { name: key ? `${name} ${key}` : name, label: labelIn(labelOf(name), part) },
        [own(before, name, part), own(after, name, part)],
        [paid(before, name, part), paid(after, name, part)],
      ),
    ),
  ];
}

/**
 * Returns the change of one price, or nothing if it is equal. `costs` are what applies where a side has no own price.
 */
function changeOf(
  of: Pick<Change, "name" | "label" | "factor">,
  [before, after]: [string | undefined, string | undefined],
  costs = [before ?? "0", after ?? "0"],
): Change[] {
  if (before === after || (before !== undefined && after !== undefined && parseUsd(before) === parseUsd(after)))
    return [];
  const direction = parseUsd(costs[1] ?? "0") >= parseUsd(costs[0] ?? "0") ? "up" : "down";
  return [{ ...of, before, after, direction, percent: percentOf(before, after) }];
}

/** Returns the own price of a class in a part of the price. */
function own(price: Rates | undefined, name: RateName, { service, above }: Part): string | undefined {
  const part = partOf(price, service);
  return (above ? part?.tiers?.find((tier) => tier.above_input === above) : part)?.[name];
}

/** Returns what a class costs in a part of the price. */
function paid(price: Rates | undefined, name: RateName, { service, above }: Part): string {
  const special = service ? price?.service_tiers?.[service] : undefined;
  const tiers = special && special.multiplier === undefined ? special.tiers : price?.tiers;
  const tier = tiers?.findLast((found) => found.above_input <= above);
  const cost = implied(tier, name) ?? implied(special, name) ?? implied(price, name) ?? "0";
  return special?.multiplier === undefined || name === "request"
    ? cost
    : decimalUsd((parseUsd(cost) * parseUsd(special.multiplier)) / scale);
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
  return `${sign}${showPercent(Number(permille) / 1000)}`;
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

/** Reports whether the text is a multiplier that the API accepts. */
export const isMultiplier = (text: string) => /^\d{1,9}(\.\d{1,9})?$/.test(text.trim());

/**
 * Says what a multiplier means, such as "Users pay 15% less than the model’s price". Multipliers are decimal strings.
 */
export function multiplierMeans(multiplier: string): string {
  const factor = parseUsd(multiplier);
  if (factor === scale) return t`Users pay the model’s price`;
  if (factor === 0n) return t`Users pay nothing`;
  const percent = percentOf("1", multiplier)?.replace(/^[+−]/, "") ?? "";
  return factor > scale
    ? t`Users pay ${percent} more than the model’s price`
    : t`Users pay ${percent} less than the model’s price`;
}
