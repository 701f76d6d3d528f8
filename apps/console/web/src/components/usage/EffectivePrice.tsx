import { t } from "@lingui/core/macro";
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

/** A price that applies to a service tier, to inputs above a number of tokens, or to both. */
interface Other {
  service?: string | undefined;
  above?: number | undefined;
  price: string | undefined;
}

function conditional(price: string, { service, above }: Other): string {
  const tokens = showCount(above ?? 0);
  if (service === undefined) return t`${price} above ${tokens} input tokens`;
  return above === undefined ? t`${price} with ${service}` : t`${price} with ${service}, above ${tokens} input tokens`;
}

/**
 * Shows what a group pays for one class of a model, and the differing prices of long inputs and service tiers below it.
 */
export function EffectivePrice({ model, name, show }: EffectivePriceProps) {
  const priceIn = (prices: Schema<"EffectivePrice">[]) => prices.find((effective) => effective.class === name)?.price;
  const price = priceIn(model.effective);
  const above = (tiers: Schema<"EffectiveTier">[], service?: string) =>
    tiers.map((tier) => ({ above: tier.above_input, service, price: priceIn(tier.prices) }));
  const others: Other[] = [
    ...above(model.effective_tiers),
    ...model.effective_service_tiers.flatMap((service) => [
      { service: service.name, price: priceIn(service.prices) },
      ...above(service.tiers, service.name).filter((tier) => tier.price !== priceIn(service.prices)),
    ]),
  ].filter((other) => other.price !== undefined && other.price !== price);
  return (
    <>
      {price === undefined ? <span className="dimmed">–</span> : <span className="tabular">{show(price)}</span>}
      {others.map((other) => (
        <Text key={`${other.service} ${other.above}`} size="xs" c="dimmed" className="tabular">
          {conditional(show(other.price ?? "0"), other)}
        </Text>
      ))}
    </>
  );
}
