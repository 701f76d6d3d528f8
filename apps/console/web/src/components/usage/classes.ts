import type { Schema } from "@/api/client";

/** The name of a class that has a price. */
export type RateName = Exclude<keyof Schema<"Rates">, "tiers">;

type Side = "input" | "output";

interface Description {
  label: string;
  /** The side whose tokens the class counts; undefined for a class that does not count tokens. */
  side?: Side;
  /** The class whose price applies if this class has no price of its own. */
  base?: RateName;
  /** The class whose token count in a usage log includes the tokens of this class. */
  partOf?: RateName;
}

interface Class extends Description {
  /** The name in the API: of the rate, of the token count, and of the line of a receipt. */
  name: RateName;
}

/** Every class of the API, in reading order. */
const descriptions: Record<RateName, Description> = {
  input: { label: "Input", side: "input" },
  cached_input: { label: "Cached input", side: "input", base: "input" },
  output: { label: "Output", side: "output" },
  request: { label: "Per request" },
  cache_write: { label: "Cache write", side: "input", base: "input" },
  cache_write_1h: { label: "Cache write, 1 hour", side: "input", base: "cache_write", partOf: "cache_write" },
  reasoning: { label: "Reasoning", side: "output", base: "output" },
  audio_input: { label: "Audio input", side: "input", base: "input" },
  image_input: { label: "Image input", side: "input", base: "input", partOf: "input" },
  image_output: { label: "Image output", side: "output", base: "output", partOf: "output" },
  audio_output: { label: "Audio output", side: "output", base: "output" },
};

/** The classes of a price in reading order. */
export const classes: readonly Class[] = Object.entries(descriptions).map(([name, description]) => ({ name: name as RateName, ...description }));

/** Returns the classes that count the tokens of one side. */
export const tokenClasses = (side: Side) => classes.filter((found): found is Class & { name: Exclude<RateName, "request"> } => found.side === side);

/** Returns the class whose price applies if a class has no price of its own; undefined if there is none. */
export const baseOf = (name: RateName) => classes.find((found) => found.name === name)?.base;

/** Returns the label of a class. A class that this version of the console does not have is named by its own name. */
export const labelOf = (name: string) => classes.find((found) => found.name === name)?.label ?? name.replaceAll("_", " ");
