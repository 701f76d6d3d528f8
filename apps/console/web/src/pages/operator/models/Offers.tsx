import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Card, Group, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import { type Entry, showRates } from "@/pages/operator/price-catalog/entries";
import { offersQuery } from "@/pages/operator/price-catalog/queries";

/** Offers the prices and bounds that the price catalog has for a model of this name. */
export function Offers({ model, use }: { model: string; use: (offer: Entry) => void }) {
  const [name] = useDebouncedValue(model.trim(), 300);
  const offers = useQuery(offersQuery(name));
  if (!offers.data || name !== model.trim()) return null;
  return (
    <div aria-live="polite">
      {offers.data.items.slice(0, 5).map((offer) => (
        <Card key={offer.id} withBorder padding="sm">
          <Group justify="space-between" gap="sm">
            <Stack gap={2}>
              <Text size="sm">
                <Found id={offer.id} rates={showRates(offer.price)} />
              </Text>
              <Text size="xs" c="dimmed">
                {advice(offer)}
              </Text>
            </Stack>
            <Button size="xs" variant="default" onClick={() => use(offer)}>
              <Trans>Use these values</Trans>
            </Button>
          </Group>
        </Card>
      ))}
    </div>
  );
}

function Found({ id, rates }: { id: string; rates: string }) {
  return rates ? (
    <Trans>
      Found in the price catalog: <b>{id}</b>, {rates}.
    </Trans>
  ) : (
    <Trans>
      Found in the price catalog: <b>{id}</b>.
    </Trans>
  );
}

function advice({ checked, read: day }: Entry): string {
  return checked
    ? t`Price read on ${day}. Check the values before you create the model.`
    : t`Price read on ${day} and not verified on the provider’s page. Check the values before you create the model.`;
}
