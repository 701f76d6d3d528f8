import { Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { showCount } from "@/format/number";

interface EffectivePriceProps {
  model: Schema<"VisibleModel">;
  /** The name of a class. */
  name: string;
  /** Formats an exact decimal of USD. */
  show: (price: string) => string;
}

/** Shows what a group pays for one class of a model, and the differing prices of long inputs below it. */
export function EffectivePrice({ model, name, show }: EffectivePriceProps) {
  const priceIn = (prices: Schema<"EffectivePrice">[]) => prices.find((effective) => effective.class === name)?.price;
  const price = priceIn(model.effective);
  const tiers = model.effective_tiers.map((tier) => ({ above: tier.above_input, price: priceIn(tier.prices) })).filter((tier) => tier.price !== undefined && tier.price !== price);
  return (
    <>
      {price === undefined ? <Text component="span" c="dimmed" inherit>–</Text> : <span className="tabular">{show(price)}</span>}
      {tiers.map((tier) => <Text key={tier.above} size="xs" c="dimmed" className="tabular">{show(tier.price ?? "0")} above {showCount(tier.above)} in</Text>)}
    </>
  );
}
