import type { Schema } from "@/api/client";

export type Endpoint = Schema<"NewChannel">["endpoints"][number];

interface ChannelType {
  value: string;
  label: string;
  /** Describes the type in one sentence. */
  about: string;
  endpoints: Endpoint[];
  /** The dialects that a new channel of the type has. */
  usual: Endpoint[];
  /** "none": the type has no base URL. "optional": an empty base URL means the provider's own. */
  baseUrl: "required" | "optional" | "none";
  baseUrlDefault: string;
  baseUrlHint: string;
  credentials: boolean;
  credentialHint: string;
  upstream: string;
}

/** The types of channels with their usual settings. */
export const channelTypes: readonly ChannelType[] = [
  {
    value: "openai", label: "OpenAI and compatible servers", about: "OpenAI, OpenRouter, Groq, DeepSeek, Ollama, vLLM and all that speak OpenAI's protocol.",
    endpoints: ["chat", "responses"], usual: ["chat", "responses"], baseUrl: "required", baseUrlDefault: "https://api.openai.com/v1",
    baseUrlHint: "Up to and with the version, such as https://openrouter.ai/api/v1", credentials: true, credentialHint: "sk-…", upstream: "gpt-4o-mini",
  },
  {
    value: "azure", label: "Azure OpenAI", about: "Deployments of one Azure OpenAI resource.",
    endpoints: ["chat", "responses"], usual: ["chat", "responses"], baseUrl: "required", baseUrlDefault: "",
    baseUrlHint: "The resource, such as https://acme.openai.azure.com", credentials: true, credentialHint: "The resource's api-key", upstream: "our-mini-deployment",
  },
  {
    value: "anthropic", label: "Anthropic", about: "Claude, by Anthropic's messages API.",
    endpoints: ["messages"], usual: ["messages"], baseUrl: "optional", baseUrlDefault: "",
    baseUrlHint: "Empty: Anthropic's own", credentials: true, credentialHint: "sk-ant-…", upstream: "claude-haiku-4-5",
  },
  {
    value: "gemini", label: "Google Gemini", about: "The Gemini API, or Vertex AI by its URL.",
    endpoints: ["gemini"], usual: ["gemini"], baseUrl: "optional", baseUrlDefault: "",
    baseUrlHint: "Empty: Google's own. Vertex AI: its URL up to /publishers/google", credentials: true, credentialHint: "AIza… or ya29.…", upstream: "gemini-2.5-flash",
  },
  {
    value: "echo", label: "Echo", about: "Answers by itself, without any network: for trials and tests.",
    endpoints: ["chat"], usual: ["chat"], baseUrl: "none", baseUrlDefault: "", baseUrlHint: "", credentials: false, credentialHint: "", upstream: "echo",
  },
];

/** The type that is used in place of types that this version of the console does not have. */
const unknown = channelTypes[0];

/** Returns the type with the name. An unknown name is treated like an OpenAI-compatible server. */
export function channelType(word: string): ChannelType {
  const found = channelTypes.find((type) => type.value === word) ?? unknown;
  if (!found) throw new Error("there are no types of channels");
  return found;
}

export const endpointLabels: Record<string, string> = { chat: "Chat", responses: "Responses", messages: "Messages", gemini: "Gemini" };

export const quirkLabels: Record<string, string> = {
  no_stream_options: "Refuses stream_options",
  max_tokens: "Wants max_tokens, not max_completion_tokens",
  system_role: "Wants the role system, not developer",
  reasoning_content: "Wants its reasoning back as reasoning_content",
};

export const lackLabels: Record<string, string> = { stream: "Streams", tools: "Tools", vision: "Images", structured_output: "Structured output" };
