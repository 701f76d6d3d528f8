import type { Schema } from "@/api/client";
import { parseUsd, showUsd } from "@/format/money";
import { multiplierMeans } from "@/pages/operator/catalog/rates";

export type Rule = Schema<"Rule">;

/** "× 0.85" or "$0.01 per request" */
export const showRule = ({ fixed, multiplier }: Pick<Rule, "fixed" | "multiplier">) => (fixed ? `${showUsd(fixed)} per request` : `× ${multiplier}`);

/** What the rule means for who pays, in words. */
export function meaningOf({ fixed, multiplier }: Pick<Rule, "fixed" | "multiplier">): string {
  if (fixed) return parseUsd(fixed) === 0n ? "Calls cost nothing" : "Each call costs the same, whatever its tokens";
  return `Users pay ${multiplierMeans(multiplier)}`;
}

/** The rules that hold now: that for all models first, then those for one. */
export function currentOf(rules: readonly Rule[]): Rule[] {
  return rules.filter(({ state }) => state === "current").sort((a, b) => a.model.localeCompare(b.model));
}

/** The rules in the order of the moments from which they hold, latest first. */
export function inOrder(rules: readonly Rule[]): Rule[] {
  return rules.toSorted((a, b) => Date.parse(b.effective_from) - Date.parse(a.effective_from) || b.id.localeCompare(a.id));
}
