import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

/** The name of a class that has a price. */
export type RateName = Exclude<keyof Schema<"Rates">, "tiers" | "service_tiers" | "tools">;

/** The name of a price of a tool: that of the count in a usage log, and of the line of a receipt. */
export type ToolName = keyof Schema<"ToolCounts">;

type Side = "input" | "output";

interface Description {
  label: MessageDescriptor;
  /** The side whose tokens the class counts; undefined for a class that does not count tokens. */
  side?: Side;
  /** The class whose price applies if this class has no price of its own. */
  base?: RateName;
  /** The class whose token count in a usage log includes the tokens of this class. */
  partOf?: RateName;
}

interface Class extends Omit<Description, "label"> {
  /** The name in the API: of the rate, of the token count, and of the line of a receipt. */
  name: RateName;
  readonly label: string;
}

/** Every class of the API, in reading order. */
const descriptions: Record<RateName, Description> = {
  input: { label: msg`Input`, side: "input" },
  cached_input: { label: msg`Cached input`, side: "input", base: "input" },
  output: { label: msg`Output`, side: "output" },
  request: { label: msg`Per request` },
  cache_write: { label: msg`Cache write`, side: "input", base: "input" },
  cache_write_1h: { label: msg`Cache write, 1 hour`, side: "input", base: "cache_write", partOf: "cache_write" },
  reasoning: { label: msg`Reasoning`, side: "output", base: "output" },
  audio_input: { label: msg`Audio input`, side: "input", base: "input" },
  image_input: { label: msg`Image input`, side: "input", base: "input", partOf: "input" },
  image_output: { label: msg`Image output`, side: "output", base: "output", partOf: "output" },
  audio_output: { label: msg`Audio output`, side: "output", base: "output" },
};

/** The classes of a price in reading order. */
export const classes: readonly Class[] = Object.entries(descriptions).map(([name, { label, ...description }]) => ({
  name: name as RateName,
  ...description,
  get label() {
    return i18n._(label);
  },
}));

/** Returns the classes that count the tokens of one side. */
export const tokenClasses = (side: Side) =>
  classes.filter((found): found is Class & { name: Exclude<RateName, "request"> } => found.side === side);

/** Returns the class whose price applies if a class has no price of its own; undefined if there is none. */
export const baseOf = (name: RateName) => classes.find((found) => found.name === name)?.base;

const millionTokens = msg`1M tokens`;

const toolDescriptions: Record<ToolName, { label: MessageDescriptor; unit: MessageDescriptor }> = {
  web_search: {
    label: msg`Web search`,
    unit: msg({ message: "call", context: "unit of a price", comment: "The unit of a price: a call of a tool" }),
  },
  file_search: {
    label: msg`File search`,
    unit: msg({ message: "call", context: "unit of a price", comment: "The unit of a price: a call of a tool" }),
  },
  code_interpreter: {
    label: msg`Code interpreter`,
    unit: msg({ message: "session", context: "unit of a price", comment: "The unit of a price: a session of a tool" }),
  },
  image_generation_input: { label: msg`Image generation, text in`, unit: millionTokens },
  image_generation_image_input: { label: msg`Image generation, images in`, unit: millionTokens },
  image_generation_output: { label: msg`Image generation, images out`, unit: millionTokens },
};

/** The prices of tools that the provider runs, in reading order. */
export const tools = Object.entries(toolDescriptions).map(([name, { label, unit }]) => ({
  name: name as ToolName,
  get label() {
    return i18n._(label);
  },
  get unit() {
    return i18n._(unit);
  },
}));

/**
 * Returns the label of a class or a tool. One that this version of the console does not have is named by its own name.
 */
export const labelOf = (name: string) =>
  [...classes, ...tools].find((found) => found.name === name)?.label ?? name.replaceAll("_", " ");

/**
 * Returns the word for the unit of a price: a million tokens, a call or a session of a tool; "" for a price per
 * request.
 */
export const unitOf = (name: string) =>
  name === "request" ? "" : (tools.find((tool) => tool.name === name)?.unit ?? i18n._(millionTokens));

/** Reports whether a price is per million tokens. */
export const perMillion = (name: string) =>
  name !== "request" &&
  (!Object.hasOwn(toolDescriptions, name) || toolDescriptions[name as ToolName].unit === millionTokens);
