/** The settings of the next call. "" instead of a number means the model's own default. */
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

/** The settings of a new conversation. The model is selected when the models are known. */
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

/** Returns the reason why a text is not a JSON Schema; null if it is one. */
export function schemaFault(schema: string): string | null {
  try {
    const value: unknown = JSON.parse(schema);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? null : "Enter a JSON Schema object.";
  } catch (error) {
    return error instanceof Error ? `Not JSON: ${error.message}` : "Not JSON.";
  }
}
