import { msg } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { oneOf, text } from "@/routes/root";

/** The inputs of the page as they are in the URL. */
export interface RoutingSearch {
  group?: string | undefined;
  token?: string | undefined;
  model?: string | undefined;
  endpoint?: "chat" | "responses" | "messages" | "embeddings" | undefined;
  stream?: boolean | undefined;
  tools?: boolean | undefined;
  vision?: boolean | undefined;
  structured?: boolean | undefined;
  unpriced?: boolean | undefined;
}

/** The features that a call may require from a channel. */
export const needs = [
  { flag: "stream", label: msg`Streaming` },
  { flag: "tools", label: msg`Tools` },
  { flag: "vision", label: msg`Images` },
  { flag: "structured", label: msg`Structured output` },
  { flag: "unpriced", label: msg`Charge without a price` },
] as const;

/** Parses the inputs from a query string. */
export function routingSearch(search: Record<string, unknown>): RoutingSearch {
  const flag = (name: string) => (search[name] === true ? true : undefined);
  return {
    group: text(search["group"], 36),
    token: text(search["token"], 36),
    model: text(search["model"]),
    endpoint: oneOf(search["endpoint"], ["chat", "responses", "messages", "embeddings"] as const),
    stream: flag("stream"),
    tools: flag("tools"),
    vision: flag("vision"),
    structured: flag("structured"),
    unpriced: flag("unpriced"),
  };
}

/** The tokens of the estimated call, for models that are routed to the cheapest channel. */
export const estimate = { input_tokens: 1000, output_tokens: 1000 };

/** Returns the API's question; undefined while the caller or the model is missing. */
export function questionOf(search: RoutingSearch): Schema<"RoutingQuestion"> | undefined {
  const { group, token, model } = search;
  if (!model || (!group && !token)) return undefined;
  return {
    model,
    endpoint: search.endpoint ?? "chat",
    ...estimate,
    ...(token ? { token_id: token } : { group_id: group }),
    ...(search.stream && { stream: true }),
    ...(search.tools && { tools: true }),
    ...(search.vision && { vision: true }),
    ...(search.structured && { structured_output: true }),
    ...(search.unpriced && { unpriced: true }),
  };
}
