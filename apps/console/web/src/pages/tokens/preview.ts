import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural } from "@lingui/core/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { showCount } from "@/format/number";

export type TokenModel = Schema<"TokenModel">;

const reasons: Record<Exclude<TokenModel["reason"], "">, MessageDescriptor> = {
  not_in_token: msg`Not in the token's models`,
  group_disabled: msg`The group is disabled`,
  not_in_group: msg`Not allowed by the group`,
  model_disabled: msg`The model is disabled`,
  not_served: msg`No channel serves it`,
  not_priced: msg`It has no price yet`,
};

/** Returns the reason why a token does not see a model; an empty text if it does. */
export const reasonText = (reason: TokenModel["reason"]) => (reason === "" ? "" : i18n._(reasons[reason]));

/** Returns a sentence that says how many of the models a token can use. */
export function usableText(models: readonly TokenModel[]): string {
  const usable = showCount(models.filter((model) => model.visible).length);
  const total = models.length;
  return plural(total, { one: `Can use ${usable} of # model.`, other: `Can use ${usable} of # models.` });
}

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
