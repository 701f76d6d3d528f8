import { record, text } from "./json";

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
    return { fault: error instanceof Error ? `Not JSON: ${error.message}` : "Not JSON." };
  }
  if (!Array.isArray(given)) return { fault: "Enter a JSON array of functions." };
  if (given.length > mostTools) return { fault: `At most ${mostTools} functions.` };
  const tools: Tool[] = [];
  for (const [i, item] of given.entries()) {
    const tool = parseTool(item);
    if (typeof tool === "string") return { fault: `Function ${i + 1}: ${tool}` };
    if (tools.some((other) => other.name === tool.name)) return { fault: `Function ${i + 1}: there are two named ${tool.name}.` };
    tools.push(tool);
  }
  return { tools };
}

function parseTool(item: unknown): Tool | string {
  const outer = record(item);
  if (outer["type"] !== undefined && outer["type"] !== "function") return 'its type must be "function".';
  const { name, description, parameters, strict } = "function" in outer ? record(outer["function"]) : outer;
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return "its name must be 1 to 64 letters, digits, _ or -.";
  if (parameters !== undefined && (typeof parameters !== "object" || parameters === null || Array.isArray(parameters))) return "its parameters must be a JSON Schema object.";
  return { name, description: text(description), parameters: parameters === undefined ? undefined : record(parameters), strict: typeof strict === "boolean" ? strict : undefined };
}

/** An example for the functions field. */
export const exampleTools = JSON.stringify(
  [
    {
      type: "function",
      name: "get_weather",
      description: "The weather at a place now",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
    },
  ],
  null,
  2,
);
