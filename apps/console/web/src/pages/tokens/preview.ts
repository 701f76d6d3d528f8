import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";

export type TokenModel = Schema<"TokenModel">;

const reasons: Record<Exclude<TokenModel["reason"], "">, string> = {
  not_in_token: "Not on the token's list",
  group_disabled: "The group is disabled",
  not_in_group: "Not permitted by the group",
  model_disabled: "The model is disabled",
  not_served: "No channel serves it",
  not_priced: "It has no price yet",
};

/** Returns the reason why a token does not see a model; an empty text if it does. */
export const reasonText = (reason: TokenModel["reason"]) => (reason === "" ? "" : reasons[reason]);

/** Reads which models a token with this list would see. An empty `user` means the signed-in user. */
export function usePreview(models: string[], user: string, enabled = true) {
  return useQuery({
    queryKey: ["token-preview", user, models],
    queryFn: () => ask(api.POST("/api/tokens/preview", { body: { models, ...(user && { user_id: user }) } })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    enabled,
  });
}
