import { t } from "@lingui/core/macro";

import { jsonFault, list, number, parse, record, text } from "./json";

/** The values of the reasoning effort. "" means the model's own default. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;

/** The settings of the next call. "" instead of a number means the model's own default. */
export interface Settings {
  model: string;
  /** The model of the second column; "" without one. All other settings apply to both models. */
  rival: string;
  endpoint: "chat" | "responses";
  system: string;
  temperature: number | "";
  topP: number | "";
  maxTokens: number | "";
  stop: string[];
  seed: number | "";
  reasoning: "" | (typeof efforts)[number];
  /**
   * Asks for a summary of the reasoning. Only the responses API has it; chat completions return what the model shows.
   */
  summary: boolean;
  format: "text" | "json_object" | "json_schema";
  schema: string;
  /** Whether the answer must match the schema exactly. */
  strict: boolean;
  tools: string;
  /** "" means that the model decides. */
  toolChoice: "" | "required" | "none";
  stream: boolean;
}

/** The settings of a new conversation. The model is selected when the models are known. */
export const defaults: Settings = {
  model: "",
  rival: "",
  endpoint: "chat",
  system: "",
  temperature: "",
  topP: "",
  maxTokens: "",
  stop: [],
  seed: "",
  reasoning: "",
  summary: true,
  format: "text",
  schema: "",
  strict: true,
  tools: "",
  toolChoice: "",
  stream: true,
};

const longest = 100_000; // characters of one text
const mostStops = 4;

/**
 * Returns the settings in a value of unknown shape. Those that are missing, of a wrong type or too long get their
 * defaults.
 */
export function settingsOf(value: unknown): Settings {
  const stored = record(value);
  const word = <Word extends string>(name: string, words: readonly Word[], other: Word) =>
    words.find((one) => one === stored[name]) ?? other;
  const amount = (name: string, least: number, most: number) => {
    const given = number(stored[name]);
    return given !== undefined && given >= least && given <= most ? given : "";
  };
  const words = (name: string) => short(stored[name]) ?? "";
  return {
    model: words("model"),
    rival: words("rival"),
    endpoint: word("endpoint", ["chat", "responses"], defaults.endpoint),
    system: words("system"),
    temperature: amount("temperature", 0, 2),
    topP: amount("topP", 0, 1),
    maxTokens: amount("maxTokens", 1, 10_000_000),
    stop: list(stored["stop"])
      .flatMap((stop) => short(stop) ?? [])
      .slice(0, mostStops),
    seed: amount("seed", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    reasoning: word("reasoning", ["", ...efforts], defaults.reasoning),
    summary: stored["summary"] !== false,
    format: word("format", ["text", "json_object", "json_schema"], defaults.format),
    schema: words("schema"),
    strict: stored["strict"] !== false,
    tools: words("tools"),
    toolChoice: word("toolChoice", ["", "required", "none"], defaults.toolChoice),
    stream: stored["stream"] !== false,
  };
}

function short(value: unknown): string | undefined {
  const given = text(value);
  return given !== undefined && given.length <= longest ? given : undefined;
}

/** Returns the reason why a text is not a JSON Schema; null if it is one. */
export function schemaFault(schema: string): string | null {
  try {
    const value: unknown = JSON.parse(schema);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? null : t`Enter a JSON Schema object.`;
  } catch (error) {
    return jsonFault(error);
  }
}

/** An example for the schema field, which every provider accepts in strict mode. */
export const exampleSchema = JSON.stringify(
  {
    type: "object",
    properties: { title: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
    required: ["title", "tags"],
    additionalProperties: false,
  },
  null,
  2,
);

/** Returns JSON with two spaces of indentation; the text itself if it is malformed. */
export function formatted(json: string): string {
  const value = parse(json);
  return value === undefined ? json : JSON.stringify(value, null, 2);
}
