import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

export type Dialect = NonNullable<Schema<"NewChannel">["dialects"]>[number];

interface ChannelType {
  value: string;
  label: string;
  /** Describes the type in one sentence. */
  about: string;
  /** The dialects that upstreams of the type can speak. */
  dialects: Dialect[];
  /** The dialects that a new channel of the type has. */
  usual: Dialect[];
  /** "none": the type has no base URL. "optional": an empty base URL means the provider's own. */
  baseUrl: "required" | "optional" | "none";
  baseUrlDefault: string;
  baseUrlHint: string;
  credentials: boolean;
  credentialHint: string;
  upstream: string;
}

/** Returns the types of channels with their usual settings. */
export const channelTypes = (): ChannelType[] => [openai(), ...others()];

const openai = (): ChannelType => ({
  value: "openai",
  label: t`OpenAI and compatible servers`,
  about: t`OpenAI, OpenRouter, Groq, DeepSeek, Ollama, vLLM and all servers that speak OpenAI's protocol.`,
  dialects: ["chat", "responses"],
  usual: ["chat", "responses"],
  baseUrl: "required",
  baseUrlDefault: "https://api.openai.com/v1",
  baseUrlHint: t`Up to and including the version, such as https://openrouter.ai/api/v1`,
  credentials: true,
  credentialHint: "sk-…",
  upstream: "gpt-4o-mini",
});

const others = (): ChannelType[] => [
  {
    value: "azure",
    label: "Azure OpenAI", // not translated: a product
    about: t`Deployments of one Azure OpenAI resource.`,
    dialects: ["chat", "responses"],
    usual: ["chat", "responses"],
    baseUrl: "required",
    baseUrlDefault: "",
    baseUrlHint: t`The resource, such as https://acme.openai.azure.com`,
    credentials: true,
    credentialHint: t`The API key of the resource`,
    upstream: "our-mini-deployment",
  },
  {
    value: "anthropic",
    label: "Anthropic", // not translated: a product
    about: t`Claude, through Anthropic's Messages API.`,
    dialects: ["messages"],
    usual: ["messages"],
    baseUrl: "optional",
    baseUrlDefault: "",
    baseUrlHint: t`Leave empty for Anthropic's own.`,
    credentials: true,
    credentialHint: "sk-ant-…",
    upstream: "claude-haiku-4-5",
  },
  {
    value: "gemini",
    label: "Google Gemini", // not translated: a product
    about: t`The Gemini API, or Vertex AI by its URL.`,
    dialects: ["gemini"],
    usual: ["gemini"],
    baseUrl: "optional",
    baseUrlDefault: "",
    baseUrlHint: t`Leave empty for Google's own. For Vertex AI, its URL up to /publishers/google.`,
    credentials: true,
    credentialHint: "AIza… / ya29.…",
    upstream: "gemini-2.5-flash", // not translated: beginnings of keys
  },
  {
    value: "echo",
    label: "Echo", // not translated: a name
    about: t`Returns what it receives, without any network. For trials and tests.`,
    dialects: ["chat"],
    usual: ["chat"],
    baseUrl: "none",
    baseUrlDefault: "",
    baseUrlHint: "",
    credentials: false,
    credentialHint: "",
    upstream: "echo",
  },
];

/** Returns the type with the name. An unknown name is treated like an OpenAI-compatible server. */
export const channelType = (word: string): ChannelType =>
  channelTypes().find((type) => type.value === word) ?? openai();

export const dialectLabels: Record<string, string> = {
  chat: "Chat",
  responses: "Responses",
  messages: "Messages",
  gemini: "Gemini",
}; // not translated: names of dialects

/** Returns the label of a word of the API, or the word itself if this version of the console does not know it. */
const labelIn =
  (labels: Record<string, MessageDescriptor>) =>
  (word: string): string => {
    const label = Object.hasOwn(labels, word) ? labels[word] : undefined;
    return label ? i18n._(label) : word;
  };

/** Returns the label of a quirk. */
export const quirkLabel = labelIn({
  no_stream_options: msg`Rejects stream_options`,
  max_tokens: msg`Requires max_tokens instead of max_completion_tokens`,
  system_role: msg`Requires the role system instead of developer`,
  reasoning_content: msg`Requires its reasoning to be sent back as reasoning_content`,
});

/** Returns the label of a kind of charge that a price can lack. */
export const unpricedLabel = labelIn({
  service_tier: msg`Service tier`,
  web_search: msg`Web search`,
  file_search: msg`File search`,
  code_interpreter: msg`Code interpreter`,
  image_generation: msg`Image generation`,
  other_tool: msg`Another tool of the provider`,
  image_output: msg`Images in answers`,
  audio_output: msg`Audio in answers`,
  cache_write_1h: msg`One-hour cache`,
});

/** Returns the label of a feature that an upstream can lack. */
export const lackLabel = labelIn({
  stream: msg`Streaming`,
  tools: msg`Tools`,
  vision: msg`Images`,
  structured_output: msg`Structured output`,
});

/** Returns the values of the setting for calls with fields that the channel does not support. */
export const ignoredFields = () => [
  { value: "report", label: t`Accept these calls` },
  { value: "refuse", label: t`Send them to other channels` },
];
