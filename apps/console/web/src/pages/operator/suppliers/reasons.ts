import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

export type Account = Schema<"BillingAccount">;
export type Day = Schema<"SupplierDay">;
export type Line = Schema<"SupplierLine">;

/** Explains why a day, a model or a key differs. */
export const reasons: Record<Exclude<Day["reason"], "">, MessageDescriptor> = {
  no_rates: msg`Some requests have no cost rates: add costs for the model to the channel`,
  no_model: msg`Charged for something other than the models you called, such as tools, storage or images`,
  other_use: msg`Used with other keys or models than those of your channels`,
  missing_calls: msg`The provider counts more requests or tokens than the usage logs`,
  not_charged: msg`The usage logs have more than the provider counts`,
  estimated: msg`Counts differ, and some are estimates`,
  unpriced_class: msg`Counts agree, but the provider charges more: a class has no cost rate, or rates are too low`,
  rates_differ: msg`Counts agree, but the provider charges less: a discount, or rates are too high`,
  unknown: msg`The provider reports no counts, so the reason is unknown`,
};

/** Returns the explanation of a reason; undefined if nothing differs. */
export const reasonOf = ({ reason }: { reason: Day["reason"] }) => (reason ? i18n._(reasons[reason]) : undefined);

export const providers = ["openai", "anthropic", "openrouter", "csv"] as const satisfies Account["provider"][];

/** Returns the name of a provider. */
export function providerName(provider: Account["provider"]): string {
  // Not translated: names of products.
  const products = { openai: "OpenAI", anthropic: "Anthropic", openrouter: "OpenRouter" };
  return provider === "csv" ? t`CSV files` : products[provider];
}

/**
 * Parses the keys of an account, one line each: the id at the provider, and the mask. Returns undefined if a line is
 * wrong.
 */
export function parseKeys(text: string): { id: string; mask: string }[] | undefined {
  const keys: { id: string; mask: string }[] = [];
  for (const line of text.split("\n")) {
    const parts = line.trim().split(/\s+/);
    const [id, mask] = parts;
    if (!id) continue;
    if (!mask || parts.length > 2 || keys.some((key) => key.id === id)) return undefined;
    keys.push({ id, mask });
  }
  return keys;
}

/** Writes keys in the form that parseKeys reads. */
export const showKeys = (keys: readonly { id: string; mask: string }[]) =>
  keys.map(({ id, mask }) => `${id} ${mask}`).join("\n");
