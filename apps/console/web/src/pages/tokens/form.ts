import type { Schema } from "@/api/client";
import { limitFaults, limitNames, limitsOf, limitsPatch, limitValues, type LimitValues, noLimits } from "@/components/limits/limits";

type Token = Schema<"Token">;
type NewToken = Schema<"NewToken">;
type TokenPatch = Schema<"TokenPatch">;

/** What the form of a token holds. Empty texts are "no limit". */
export interface TokenValues extends LimitValues {
  name: string;
  user: string;
  models: string[];
  /** A moment as ISO text; empty: never. */
  expires: string;
  addresses: string[];
}

export const blank: TokenValues = { name: "", user: "", models: [], expires: "", addresses: [], ...noLimits };

/** What the form begins with for a token that there is. */
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

/** The body that creates the token. */
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

const differs = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);

/** The body that makes the token what the form says: what was not changed is left out. */
export function tokenPatch(before: TokenValues, after: TokenValues): TokenPatch {
  const whole = newToken(after);
  const old = newToken(before);
  return {
    ...(whole.name !== old.name && { name: whole.name }),
    ...(differs(whole.models, old.models) && { models: after.models }),
    ...(differs(whole.addresses, old.addresses) && { addresses: after.addresses }),
    ...(whole.expires_at !== old.expires_at && { expires_at: whole.expires_at }),
    ...limitsPatch(before, after),
  };
}

/** What is wrong with the fields before the API is asked. */
export const rules = {
  name: (name: string) => (name.trim() ? null : "Give the token a name, such as the program that will use it."),
  ...limitFaults,
  expires: (iso: string) => (iso && Date.parse(iso) <= Date.now() ? "This moment is past." : null),
};

/** Fields of the API under their names in the form. */
export const fieldNames: Record<string, string> = { user_id: "user", expires_at: "expires", ...limitNames };

/** Spans after which tokens commonly expire, in days. */
export const expiryPresets = [
  { label: "7 days", days: 7 },
  { label: "30 days", days: 30 },
  { label: "90 days", days: 90 },
  { label: "1 year", days: 365 },
];

export const inDays = (days: number, now = Date.now()) => new Date(now + days * 86_400_000).toISOString();

/** What a token is at a moment: its status, or that it has expired. */
export function stateOf(token: Pick<Token, "status" | "expires_at">, now = Date.now()): Token["status"] | "expired" {
  const expired = token.status !== "revoked" && token.expires_at !== null && Date.parse(token.expires_at) <= now;
  return expired ? "expired" : token.status;
}
