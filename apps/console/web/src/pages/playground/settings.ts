/** How the next call is made. Numbers are "" where the model's own default shall hold. */
export interface Settings {
  model: string;
  endpoint: "chat" | "responses";
  system: string;
  temperature: number | "";
  topP: number | "";
  maxTokens: number | "";
  stop: string[];
  seed: number | "";
  reasoning: "" | "minimal" | "low" | "medium" | "high";
  format: "text" | "json_object" | "json_schema";
  schema: string;
  tools: string;
  stream: boolean;
}

export const defaults: Settings = {
  model: "",
  endpoint: "chat",
  system: "",
  temperature: "",
  topP: "",
  maxTokens: "",
  stop: [],
  seed: "",
  reasoning: "",
  format: "text",
  schema: "",
  tools: "",
  stream: true,
};

/** What is wrong with a JSON Schema; null where nothing is. */
export function schemaFault(schema: string): string | null {
  try {
    const value: unknown = JSON.parse(schema);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? null : "Enter a JSON Schema object.";
  } catch (error) {
    return error instanceof Error ? `Not JSON: ${error.message}` : "Not JSON.";
  }
}
