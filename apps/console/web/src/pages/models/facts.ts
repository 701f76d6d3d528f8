import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { modalityName } from "@/components/modalities";
import { showCount } from "@/format/number";

type Facts = Pick<Schema<"VisibleModel">, "context_length" | "max_output" | "max_output_stated" | "modalities">;

/** Returns the context length of a model in words. */
export const contextOf = ({ context_length: tokens }: Facts) => (tokens > 0 ? inTokens(tokens) : t`Not stated`);

/** Returns the most output tokens of a model in words. */
export function outputOf({ max_output: tokens, max_output_stated }: Facts): string {
  const shown = inTokens(tokens);
  return max_output_stated ? shown : t`Not stated. The gateway assumes ${shown}.`;
}

/** Returns the kinds of content on one side of a model in words. */
export const modalitiesOf = (kinds: Facts["modalities"]["input"]) =>
  kinds.length > 0
    ? kinds.map(modalityName).join(t({ message: ", ", context: "list", comment: "Between the items of a list" }))
    : t`Not stated`;

function inTokens(tokens: number): string {
  const count = showCount(tokens);
  return t`${count} tokens`;
}
