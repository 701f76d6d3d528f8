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

/** Why a token does not see a model, for people; empty where it does. */
export const reasonText = (reason: TokenModel["reason"]) => (reason === "" ? "" : reasons[reason]);

/** Which models a token with such a list would see. `user` empty: of the one who asks. */
export function usePreview(models: string[], user: string, enabled = true) {
  return useQuery({
    queryKey: ["token-preview", user, models],
    queryFn: () => ask(api.POST("/api/tokens/preview", { body: { models, ...(user && { user_id: user }) } })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    enabled,
  });
}
