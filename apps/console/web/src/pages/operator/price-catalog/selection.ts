import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

export type Difference = Schema<"Difference">;
export type Warning = Difference["warnings"][number];

/** What each warning asks the operator to confirm. */
export const warningLabels: Record<Warning, MessageDescriptor> = {
  large_rise: msg`A rate rises by more than 50%`,
  zero: msg`A rate falls to zero`,
  new_rate: msg`A rate is new`,
  removed: msg`A rate is removed`,
  unverified: msg`Not verified on the provider’s page`,
};

/** The selected differences, by `keyOf`, with the warnings that the operator has confirmed. */
export type Selection = Readonly<Record<string, readonly Warning[]>>;

/**
 * Identifies a difference on the page. After a change of the current price it is another one: the warnings that were
 * confirmed compare with the price before.
 */
export const keyOf = ({ model, entry, price_id }: Difference) => `${model} ${entry.id} ${price_id}`;

/** Selects a difference, or removes it from the selection. Of several entries for a model, one can be selected. */
export function toggle(selection: Selection, difference: Difference): Selection {
  const key = keyOf(difference);
  const kept = Object.entries(selection).filter(([other]) => !other.startsWith(`${difference.model} `));
  return Object.fromEntries(key in selection ? kept : [...kept, [key, []]]);
}

/** Confirms a warning of a selected difference, or takes the confirmation back. */
export function confirmWarning(selection: Selection, difference: Difference, warning: Warning): Selection {
  const key = keyOf(difference);
  const confirmed = selection[key] ?? [];
  return {
    ...selection,
    [key]: confirmed.includes(warning) ? confirmed.filter((other) => other !== warning) : [...confirmed, warning],
  };
}

/** Returns the number of warnings of selected differences that are not confirmed. */
export const unconfirmed = (selection: Selection, differences: readonly Difference[]) =>
  differences.reduce((sum, difference) => {
    const confirmed = selection[keyOf(difference)];
    return confirmed ? sum + difference.warnings.filter((warning) => !confirmed.includes(warning)).length : sum;
  }, 0);

/** Returns the selected differences in the form of the API. */
export const selectedOf = (selection: Selection, differences: readonly Difference[]): Schema<"Selected">[] =>
  differences.flatMap((difference) => {
    const confirmed = selection[keyOf(difference)];
    return confirmed
      ? [
          {
            model: difference.model,
            entry: difference.entry.id,
            price_id: difference.price_id,
            confirm: [...confirmed],
          },
        ]
      : [];
  });

/** Formats a difference in per cent, such as "+12.5%"; undefined if there is none. */
export const showPercent = (percent: number) =>
  percent === 0 ? undefined : `${percent > 0 ? "+" : "−"}${Math.abs(percent)}%`;
