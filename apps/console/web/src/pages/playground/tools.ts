import { t } from "@lingui/core/macro";

import { jsonFault, record, text } from "./json";

/** A function that the model may call, independent of the dialect. */
export interface Tool {
  name: string;
  description: string | undefined;
  parameters: Record<string, unknown> | undefined;
  strict: boolean | undefined;
}

/** The functions in a text, or the reason why the text is not valid. */
export type Tools = { tools: Tool[]; fault?: undefined } | { tools?: undefined; fault: string };

const mostTools = 128;

/**
 * Parses a JSON array of functions in the format of either API: `{"type": "function", "function": {"name": ...}}` or
 * `{"type": "function", "name": ...}`. An empty text contains no functions.
 */
export function parseTools(json: string): Tools {
  if (json.trim() === "") return { tools: [] };
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch (error) {
    return { fault: jsonFault(error) };
  }
  if (!Array.isArray(given)) return { fault: t`Enter a JSON array of functions.` };
  if (given.length > mostTools) return { fault: t`Enter at most ${mostTools} functions.` };
  const tools: Tool[] = [];
  for (const [i, item] of given.entries()) {
    const number = i + 1;
    const tool = parseTool(item, number);
    if (typeof tool === "string") return { fault: tool };
    const { name } = tool;
    if (tools.some((other) => other.name === name))
      return { fault: t`Function ${number}: there are two functions named ${name}.` };
    tools.push(tool);
  }
  return { tools };
}

/** Returns the function in one item of the array, or the reason why the item is not valid. `number` counts from 1. */
function parseTool(item: unknown, number: number): Tool | string {
  const outer = record(item);
  if (outer["type"] !== undefined && outer["type"] !== "function")
    return t`Function ${number}: its type must be "function".`;
  const { name, description, parameters, strict } = "function" in outer ? record(outer["function"]) : outer;
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    return t`Function ${number}: its name must be 1 to 64 letters, digits, _ or -.`;
  if (parameters !== undefined && (typeof parameters !== "object" || parameters === null || Array.isArray(parameters)))
    return t`Function ${number}: its parameters must be a JSON Schema object.`;
  return {
    name,
    description: text(description),
    parameters: parameters === undefined ? undefined : record(parameters),
    strict: typeof strict === "boolean" ? strict : undefined,
  };
}

/** An example for the functions field. */
export const exampleTools = JSON.stringify(
  [
    {
      type: "function",
      name: "get_weather", // not translated: an example of a request
      description: "The weather at a place now", // not translated: an example of a request
      parameters: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      },
    },
  ],
  null,
  2,
);
