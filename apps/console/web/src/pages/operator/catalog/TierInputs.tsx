import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Card, Group, NumberInput, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";

import { RateInputs } from "./RateInputs";
import { maxTiers, rateValues, thresholdFault, type TierValues } from "./rates";

interface TierInputsProps {
  tiers: TierValues[];
  onChange: (tiers: TierValues[]) => void;
}

const nameOf = (n: number) => t`Tier ${n} for long inputs`;

/** Shows the fields of the tiers for long inputs. */
export function TierInputs({ tiers, onChange }: TierInputsProps) {
  const setTier = (i: number, tier: TierValues) => onChange(tiers.with(i, tier));
  return (
    <>
      {tiers.map((tier, i) => (
        // A tier has no id, and its threshold changes while it is typed.
        // oxlint-disable-next-line no-array-index-key
        <Card key={i} withBorder role="group" aria-label={nameOf(i + 1)}>
          <Stack gap="xs">
            <Group justify="space-between" align="flex-start">
              <NumberInput
                label={t`More input tokens than`}
                description={t`Counts all input tokens of the request, including cached ones.`}
                value={tier.above}
                error={tier.above !== "" && thresholdFault(tier, tiers[i - 1])}
                rightSection={t`tokens`}
                rightSectionWidth={60}
                onChange={(above) => setTier(i, { ...tier, above })}
                min={1}
                max={1_000_000_000}
                allowDecimal={false}
                allowNegative={false}
                thousandSeparator=","
                hideControls
              />
              <Button variant="subtle" color="red" size="xs" onClick={() => onChange(tiers.toSpliced(i, 1))}>
                <Trans>Remove tier</Trans>
              </Button>
            </Group>
            <RateInputs
              values={tier.rates}
              onChange={(name, value) => setTier(i, { ...tier, rates: { ...tier.rates, [name]: value } })}
            />
            <Text size="sm" c="dimmed">
              <Trans>
                These prices apply to the whole request. An empty price falls back to its base price in this tier, then
                to the price without the tier.
              </Trans>
            </Text>
          </Stack>
        </Card>
      ))}
      {tiers.length < maxTiers && (
        <Button
          variant="subtle"
          size="xs"
          w="fit-content"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...tiers, { above: "", rates: rateValues(undefined) }])}
        >
          <Trans>Add a tier for long inputs</Trans>
        </Button>
      )}
    </>
  );
}
