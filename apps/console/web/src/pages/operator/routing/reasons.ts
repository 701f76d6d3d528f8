import type { Schema } from "@/api/client";

type Routed = Schema<"RoutedTo">;
type Answer = Schema<"RoutingAnswer">;

/** Explains why a channel is tried or not. */
export const reasons: Record<Routed["reason"], string> = {
  kept: "Speaks the endpoint’s dialect and is well",
  translated: "Tried; the call is translated into its dialect",
  trial: "Failed lately and has rested: tried after all that are well, one call at a time",
  cooling: "Failed lately and rests: tried after all others",
  no_credential: "All of its credentials are disabled or resting",
  not_ready: "Cannot be called: its type is not known, or a credential cannot be unsealed",
  disabled: "The channel is disabled",
  model_not_served: "Does not serve the model",
  lacks_stream: "Its upstream has no streams",
  lacks_tools: "Its upstream has no tools",
  lacks_vision: "Its upstream takes no images",
  lacks_structured_output: "Its upstream has no structured output",
};

export const reasonLabels: Record<Routed["reason"], string> = {
  kept: "Kept", translated: "Translated", trial: "On trial", cooling: "Resting", no_credential: "No credential", not_ready: "Not ready", disabled: "Disabled",
  model_not_served: "Not served", lacks_stream: "No streams", lacks_tools: "No tools", lacks_vision: "No images", lacks_structured_output: "No structured output",
};

/** Explains why the caller may use the model or not. */
export const verdicts: Record<Answer["verdict"], string> = {
  visible: "The caller may use the model.",
  token_not_usable: "The token is revoked, disabled or expired: every call with it is refused.",
  unknown_model: "There is no such model in the catalog.",
  not_in_token: "The token’s list of models leaves it out.",
  group_disabled: "The caller’s group is disabled.",
  not_in_group: "The caller’s group may not use it.",
  model_disabled: "The model is disabled.",
  not_served: "No enabled channel serves it.",
  not_priced: "It has no price, and is not declared free.",
};

/**
 * Splits the channels into those that are tried, those that serve the model but are not tried, and those that do not
 * serve the model.
 */
export function partsOf(channels: readonly Routed[]) {
  return {
    tried: channels.filter((channel) => channel.order > 0),
    dropped: channels.filter((channel) => channel.order === 0 && channel.reason !== "model_not_served"),
    others: channels.filter((channel) => channel.reason === "model_not_served"),
  };
}

/** Returns the status and the error code that the caller receives if the call cannot be served; undefined if it can. */
export function refusalOf(answer: Answer): string | undefined {
  if (answer.verdict === "token_not_usable") return "401 invalid_api_key";
  if (!answer.visible) return "404 model_not_found";
  const { refusal } = answer;
  return refusal ? `${refusal.status} ${refusal.code}${refusal.param && `, param ${refusal.param}`}` : undefined;
}
