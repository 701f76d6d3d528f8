import type { Schema } from "@/api/client";
import { oneOf, text } from "@/routes/root";

/** The inputs of the page as they are in the URL. */
export interface RoutingSearch {
  group?: string | undefined;
  token?: string | undefined;
  model?: string | undefined;
  endpoint?: "chat" | "responses" | undefined;
  stream?: boolean | undefined;
  tools?: boolean | undefined;
  vision?: boolean | undefined;
  structured?: boolean | undefined;
}

/** The features that a call may require from a channel. */
export const needs = [
  { name: "stream", label: "Stream" },
  { name: "tools", label: "Tools" },
  { name: "vision", label: "Images" },
  { name: "structured", label: "Structured output" },
] as const;

/** Parses the inputs from a query string. */
export function routingSearch(search: Record<string, unknown>): RoutingSearch {
  const flag = (name: string) => (search[name] === true ? true : undefined);
  return {
    group: text(search["group"], 36), token: text(search["token"], 36), model: text(search["model"]), endpoint: oneOf(search["endpoint"], ["chat", "responses"] as const),
    stream: flag("stream"), tools: flag("tools"), vision: flag("vision"), structured: flag("structured"),
  };
}

/** Returns the API's question; undefined while the caller or the model is missing. */
export function questionOf(search: RoutingSearch): Schema<"RoutingQuestion"> | undefined {
  const { group, token, model } = search;
  if (!model || (!group && !token)) return undefined;
  return {
    model, endpoint: search.endpoint ?? "chat", ...(token ? { token_id: token } : { group_id: group }),
    ...(search.stream && { stream: true }), ...(search.tools && { tools: true }), ...(search.vision && { vision: true }), ...(search.structured && { structured_output: true }),
  };
}
