import { plural, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { changes } from "@/components/changes";
import { limitFaults, limitNames, limitsOf, limitValues, type LimitValues, noLimits } from "@/components/limits/limits";

type Token = Schema<"Token">;
type NewToken = Schema<"NewToken">;
type TokenPatch = Schema<"TokenPatch">;

/** The values of the token form. An empty limit means no limit. */
export interface TokenValues extends LimitValues {
  name: string;
  user: string;
  models: string[];
  /** A moment as ISO text; empty means never. */
  expires: string;
  addresses: string[];
}

/** The form values of a new token. */
export const blank: TokenValues = { name: "", user: "", models: [], expires: "", addresses: [], ...noLimits };

/** Returns the form values of an existing token. */
export function valuesOf(token: Token): TokenValues {
  return {
    name: token.name,
    user: token.user_id,
    models: token.models,
    expires: token.expires_at ?? "",
    addresses: token.addresses,
    ...limitValues(token),
  };
}

/** Returns the request body that creates the token. */
export function newToken(values: TokenValues): NewToken {
  return {
    name: values.name.trim(),
    ...(values.user && { user_id: values.user }),
    models: values.models,
    addresses: values.addresses,
    expires_at: values.expires || null,
    ...limitsOf(values),
  };
}

/** Returns the PATCH body with the values that changed. */
export function tokenPatch(before: TokenValues, after: TokenValues): TokenPatch {
  const { user_id: _, ...patch } = changes(newToken(before), newToken(after)); // the owner cannot be changed
  return patch;
}

/** Validates the fields before the API is called. Each validator returns null for a valid value. */
export const rules = {
  name: (name: string) => (name.trim() ? null : t`Enter a name, such as the program that uses the token.`),
  ...limitFaults,
  expires: (iso: string) => (iso && Date.parse(iso) <= Date.now() ? t`Choose a time in the future.` : null),
};

/** Maps the API's field names to the names of the form fields. */
export const fieldNames: Record<string, string> = { user_id: "user", expires_at: "expires", ...limitNames };

/** Returns the common lifetimes of tokens, in days. */
export const expiryPresets = () => [
  ...[7, 30, 90].map((days) => ({ label: plural(days, { one: "# day", other: "# days" }), days })),
  { label: t`1 year`, days: 365 },
];

/** Returns the word for the expiry of a token that does not expire. */
export const neverExpires = () => t({ message: "Never", context: "expiry" });

/** Returns the moment after a number of days as ISO text. */
export const inDays = (days: number, now = Date.now()) => new Date(now + days * 86_400_000).toISOString();

/** Returns the status of a token at a moment, or "expired". A revoked token stays "revoked". */
export function stateOf(token: Pick<Token, "status" | "expires_at">, now = Date.now()): Token["status"] | "expired" {
  const expired = token.status !== "revoked" && token.expires_at !== null && Date.parse(token.expires_at) <= now;
  return expired ? "expired" : token.status;
}
