import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { parseUsd, showUsd } from "@/format/money";
import { multiplierMeans } from "@/pages/operator/catalog/rates";

export type Rule = Schema<"Rule">;

/** What a rule says: for which model it is, "" for all, and what its users pay. */
export type RuleTerms = Pick<Rule, "model" | "multiplier" | "fixed">;

/** Formats a rule, such as "× 0.85" or "$0.01 per request". */
export function showRule({ fixed, multiplier }: Pick<Rule, "fixed" | "multiplier">): string {
  if (!fixed) return `× ${multiplier}`;
  const price = showUsd(fixed);
  return t`${price} per request`;
}

/** Explains in words what a rule means for the users who pay. */
export function meaningOf({ fixed, multiplier }: Pick<Rule, "fixed" | "multiplier">): string {
  if (fixed)
    return parseUsd(fixed) === 0n ? t`Requests are free` : t`Each request costs the same, regardless of its tokens`;
  return multiplierMeans(multiplier);
}

/** Returns the current rules: the rule for all models first, then the rules for single models. */
export function currentOf(rules: readonly Rule[]): Rule[] {
  return rules.filter(({ state }) => state === "current").sort((a, b) => a.model.localeCompare(b.model));
}

/** Returns the rules ordered by the moment from which they are effective, latest first. */
export function inOrder(rules: readonly Rule[]): Rule[] {
  return rules.toSorted(
    (a, b) => Date.parse(b.effective_from) - Date.parse(a.effective_from) || b.id.localeCompare(a.id),
  );
}
