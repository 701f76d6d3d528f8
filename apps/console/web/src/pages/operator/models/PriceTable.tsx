import { SimpleGrid, Text } from "@mantine/core";

import { Stat } from "@/components/Stat";
import { classes, labelOf } from "@/components/usage/classes";
import { showUsd } from "@/format/money";
import { showCount } from "@/format/number";
import type { Model } from "@/pages/operator/catalog/queries";

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Shows the current price of a model by class. */
export function PriceTable({ model }: { model: Model }) {
  const { price } = model;
  const own = classes.filter(({ name }) => price?.[name] !== undefined);
  if (!price || own.length === 0) return <Text c="dimmed">{model.free ? "The model is free: calls cost nothing." : "There is no price that holds now."}</Text>;
  const implied = classes.filter(({ name, base }) => price[name] === undefined && base && price[base] !== undefined);
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: Math.min(4, own.length) }}>
        {own.map(({ name, label }) => (
          <Stat key={name} label={name === "request" ? label : `${label} / 1M`} value={showUsd(price[name] ?? "0")} />
        ))}
      </SimpleGrid>
      {price.tiers?.map((tier) => (
        <div key={tier.above_input}>
          <Text size="sm" c="dimmed" mb={4}>Calls with more than {showCount(tier.above_input)} input tokens</Text>
          <SimpleGrid cols={{ base: 2, sm: 4 }}>
            {classes.filter(({ name }) => tier[name] !== undefined).map(({ name, label }) => <Stat key={name} label={name === "request" ? label : `${label} / 1M`} value={showUsd(tier[name] ?? "0")} />)}
          </SimpleGrid>
        </div>
      ))}
      {implied.length > 0 && (
        <Text size="sm" c="dimmed">
          {capitalize(implied.map(({ label, base }) => `${label.toLowerCase()} costs what ${labelOf(base ?? "").toLowerCase()} costs`).join("; "))}.
        </Text>
      )}
    </>
  );
}
