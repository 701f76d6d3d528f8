import { Button, Card, Group, NumberInput, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { RateName } from "@/components/usage/classes";

import { RateInputs } from "./RateInputs";
import { maxTiers, rateValues, type PriceValues, type TierValues } from "./rates";

interface PriceInputsProps {
  values: PriceValues;
  onChange: (values: PriceValues) => void;
  /** The API's error texts by class. */
  errors?: Partial<Record<RateName, ReactNode>>;
}

/** Shows the fields of a price, and of its tiers for long inputs. */
export function PriceInputs({ values, onChange, errors }: PriceInputsProps) {
  const { rates, tiers } = values;
  const setTier = (i: number, tier: TierValues) => onChange({ rates, tiers: tiers.with(i, tier) });
  return (
    <Stack gap="sm">
      <RateInputs values={rates} {...(errors && { errors })} onChange={(name, value) => onChange({ rates: { ...rates, [name]: value }, tiers })} />
      {tiers.map((tier, i) => (
        // A tier has no id, and its threshold changes while it is typed.
        // oxlint-disable-next-line no-array-index-key
        <Card key={i} withBorder>
          <Stack gap="xs">
            <Group justify="space-between" align="flex-end">
              <NumberInput
                label="More input tokens than" description="Of the whole call, cached ones included." value={tier.above} onChange={(above) => setTier(i, { ...tier, above })}
                min={1} max={1_000_000_000} allowDecimal={false} allowNegative={false} thousandSeparator="," hideControls
              />
              <Button variant="subtle" color="red" size="xs" onClick={() => onChange({ rates, tiers: tiers.toSpliced(i, 1) })}>Remove tier</Button>
            </Group>
            <RateInputs values={tier.rates} onChange={(name, value) => setTier(i, { ...tier, rates: { ...tier.rates, [name]: value } })} />
            <Text size="sm" c="dimmed">These prices apply to the whole call. What is empty costs as much as without the tier, or as what it falls back to here.</Text>
          </Stack>
        </Card>
      ))}
      {tiers.length < maxTiers && (
        <Button variant="subtle" size="xs" w="fit-content" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => onChange({ rates, tiers: [...tiers, { above: "", rates: rateValues(undefined) }] })}>
          Add a tier for long inputs
        </Button>
      )}
    </Stack>
  );
}
