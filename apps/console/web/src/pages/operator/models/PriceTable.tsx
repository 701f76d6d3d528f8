import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { SimpleGrid, Text } from "@mantine/core";

import { Stat } from "@/components/Stat";
import { classes, labelOf, type RateName, tools } from "@/components/usage/classes";
import { showUsd } from "@/format/money";
import { showCount } from "@/format/number";
import { labelWithUnit, listed } from "@/pages/operator/catalog/labels";
import type { Model } from "@/pages/operator/catalog/queries";
import { toolPrice, type Rates } from "@/pages/operator/catalog/rates";

/** Shows the current price of a model by class, with its tiers, service tiers and tools. */
export function PriceTable({ model }: { model: Model }) {
  const { price } = model;
  const own = classes.filter(({ name }) => price?.[name] !== undefined);
  const priced = tools
    .map(({ name }) => ({ name, value: toolPrice(price, name) }))
    .filter(({ value }) => value !== undefined);
  const services = Object.entries(price?.service_tiers ?? {});
  if (!price || own.length + priced.length + services.length + (price.tiers?.length ?? 0) === 0)
    return <Text c="dimmed">{model.free ? t`This model is free.` : t`No current price`}</Text>;
  const implied = classes.filter(({ name, base }) => price[name] === undefined && base && price[base] !== undefined);
  const bases = [...new Set(implied.flatMap(({ base }) => base ?? []))];
  return (
    <>
      <Prices rates={price} columns={Math.min(4, own.length)} />
      <Tiers tiers={price.tiers} />
      {services.map(([name, service]) => (
        <div key={name}>
          <Text size="sm" c="dimmed" mb={4}>
            {serviceTitle(name, service.multiplier)}
          </Text>
          <Prices rates={service} columns={4} />
          <Tiers tiers={service.tiers} />
        </div>
      ))}
      {priced.length > 0 && (
        <div>
          <Text size="sm" c="dimmed" mb={4}>
            <Trans>Tools that the provider runs</Trans>
          </Text>
          <SimpleGrid cols={{ base: 2, sm: 4 }}>
            {priced.map(({ name, value }) => (
              <Stat key={name} label={labelWithUnit(name, true)} value={showUsd(value ?? "0")} />
            ))}
          </SimpleGrid>
        </div>
      )}
      {bases.map((base) => (
        <Text key={base} size="sm" c="dimmed">
          {impliedBy(base, listed(implied.filter((found) => found.base === base).map(({ name }) => labelOf(name))))}
        </Text>
      ))}
    </>
  );
}

const serviceTitle = (tier: string, multiplier: string | undefined) =>
  multiplier === undefined
    ? t`Requests that the provider answers in service tier ${tier}`
    : t`Requests that the provider answers in service tier ${tier}: token prices × ${multiplier}`;

/** Says which classes have the price of their base class. */
function impliedBy(base: RateName, labels: string): string {
  switch (base) {
    case "output":
      return t`Same price as output: ${labels}`;
    case "cache_write":
      return t`Same price as cache write: ${labels}`;
    default:
      return t`Same price as input: ${labels}`;
  }
}

/** Shows the rates that a price or a tier has of its own. */
function Prices({
  rates,
  columns,
}: {
  rates: Partial<Pick<Rates, (typeof classes)[number]["name"]>>;
  columns: number;
}) {
  const own = classes.filter(({ name }) => rates[name] !== undefined);
  if (own.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 2, sm: columns }}>
      {own.map(({ name }) => (
        <Stat key={name} label={labelWithUnit(name, true)} value={showUsd(rates[name] ?? "0")} />
      ))}
    </SimpleGrid>
  );
}

const tierTitle = (threshold: string) => t`Requests with more than ${threshold} input tokens`;

function Tiers({ tiers }: { tiers: Rates["tiers"] }) {
  return tiers?.map((tier) => (
    <div key={tier.above_input}>
      <Text size="sm" c="dimmed" mb={4}>
        {tierTitle(showCount(tier.above_input))}
      </Text>
      <Prices rates={tier} columns={4} />
    </div>
  ));
}
