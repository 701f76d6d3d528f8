import { plural, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { classes, labelOf, type ToolName, tools } from "@/components/usage/classes";
import { showUsd } from "@/format/money";
import { listed } from "@/pages/operator/catalog/labels";
import { toolPrice } from "@/pages/operator/catalog/rates";

export type Entry = Schema<"Entry">;

/**
 * Describes the rates of input and output, such as "$1.75 input, $14.00 output per 1M tokens"; "" if there are none.
 */
export function showRates({ input, output }: Entry["price"]): string {
  const inputPrice = input && showUsd(input);
  const outputPrice = output && showUsd(output);
  if (inputPrice && outputPrice) return t`${inputPrice} input, ${outputPrice} output per 1M tokens`;
  if (inputPrice) return t`${inputPrice} input per 1M tokens`;
  return outputPrice ? t`${outputPrice} output per 1M tokens` : "";
}

/** Lists what a price has besides the rates of input and output. */
export function showMore(price: Entry["price"]): string {
  const services = Object.keys(price.service_tiers ?? {});
  const tierCount = price.tiers?.length ?? 0;
  return listed([
    ...classes
      .filter(({ name }) => name !== "input" && name !== "output" && price[name] !== undefined)
      .map(({ name }) => labelOf(name).toLowerCase()),
    ...(tierCount > 0 ? [plural(tierCount, { one: "# tier for long inputs", other: "# tiers for long inputs" })] : []),
    ...services.map((name) => t`service tier ${name}`),
    ...new Set(tools.filter(({ name }) => toolPrice(price, name) !== undefined).map(({ name }) => toolOf(name))),
  ]);
}

/** Returns the name of a tool in a list. The rates of image generation are those of one tool. */
const toolOf = (name: ToolName) =>
  name.startsWith("image_generation") ? t`image generation` : labelOf(name).toLowerCase();
