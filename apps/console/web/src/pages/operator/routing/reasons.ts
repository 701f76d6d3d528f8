import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

type Routed = Schema<"RoutedTo">;
type Answer = Schema<"RoutingAnswer">;

/** Explains why a channel is tried or not. */
export const reasons: Record<Routed["reason"], MessageDescriptor> = {
  kept: msg`Speaks the dialect of the endpoint, and no relay reports failures`,
  translated: msg`The call is translated into its dialect`,
  cheapest: msg`Its upstream charges the least within the priority`,
  trial: msg`Failed recently and cooled down: tried after all channels without failures, one call at a time`,
  cooling: msg`Failed recently: tried after all other channels`,
  no_credential: msg`All its credentials are disabled or cooling down`,
  not_ready: msg`Can't be called: its type is unknown, or a credential can't be decrypted`,
  disabled: msg`The channel is disabled`,
  model_not_served: msg`Doesn't serve the model`,
  lacks_stream: msg`Its upstream doesn't support streaming`,
  lacks_tools: msg`Its upstream doesn't support tools`,
  lacks_vision: msg`Its upstream doesn't accept images`,
  lacks_structured_output: msg`Its upstream doesn't support structured output`,
  lacks_endpoint: msg`Doesn't have the endpoint, and the call can't be translated for it`,
  refuses_unpriced: msg`Refuses calls that could cause a charge without a price`,
};

/** Explains why the caller may use the model or not. */
export const verdicts: Record<Answer["verdict"], MessageDescriptor> = {
  visible: msg`The caller may use the model.`,
  token_not_usable: msg`The token is revoked, disabled or expired. Every call with it is refused.`,
  unknown_model: msg`The catalog has no such model.`,
  not_in_token: msg`The token isn't allowed to use the model.`,
  group_disabled: msg`The caller's group is disabled.`,
  not_in_group: msg`The caller's group isn't allowed to use the model.`,
  model_disabled: msg`The model is disabled.`,
  not_served: msg`No enabled channel serves the model.`,
  not_priced: msg`The model has no price and isn't declared free.`,
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
