import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Button, Card, Checkbox, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useState } from "react";

import type { Schema } from "@/api/client";
import { showUsd } from "@/format/money";
import { Changes } from "@/pages/operator/catalog/Changes";
import { type MarginSummary, marginsOf, type PriceMargins } from "@/pages/operator/catalog/margins";
import { changesOf } from "@/pages/operator/catalog/rates";

interface BulkPreviewProps {
  /** undefined while they load. */
  items: PriceMargins[] | undefined;
  changes: Schema<"PriceChange">[];
  /** The models whose loss the operator accepts. */
  accepted: string[];
  accept: (models: string[]) => void;
}

const step = 20;

/**
 * Shows the prices of several models before and after a change, with their margins. Models below cost come first and
 * must be accepted.
 */
export function BulkPreview({ items, changes, accepted, accept }: BulkPreviewProps) {
  const [shown, setShown] = useState(step);
  if (!items) return <Skeleton h={120} />;
  const ordered = items.toSorted((a, b) => Number(b.loss) - Number(a.loss));
  const more = ordered.length - shown;
  const toggle = (model: string) =>
    accept(accepted.includes(model) ? accepted.filter((other) => other !== model) : [...accepted, model]);
  return (
    <>
      {ordered.slice(0, shown).map((item) => (
        <Item
          key={item.model}
          item={item}
          price={changes.find(({ model }) => model === item.model)?.price}
          accepted={accepted.includes(item.model)}
          toggle={() => toggle(item.model)}
        />
      ))}
      {more > 0 && (
        <Button variant="default" onClick={() => setShown(shown + step)}>
          <Trans>Show {more} more</Trans>
        </Button>
      )}
    </>
  );
}

function Item({
  item,
  price,
  accepted,
  toggle,
}: {
  item: PriceMargins;
  price: Schema<"PriceChange">["price"] | undefined;
  accepted: boolean;
  toggle: () => void;
}) {
  const { model } = item;
  const summary = marginsOf(item);
  return (
    <Card padding="sm" component="section" aria-label={model}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Text fw={500} className="mono">
            {model}
          </Text>
          <Margin summary={summary} />
        </Group>
        {price && <Changes changes={changesOf(item.current, price)} />}
        {item.loss && (
          <>
            {summary.losses.slice(0, 3).map(({ channel, label, price: earned, cost }) => (
              <Text key={`${channel} ${label}`} size="sm" c="var(--tollgate-bad)">
                {lossOf(label, channel, earned, cost)}
              </Text>
            ))}
            <Checkbox label={t`Sell ${model} below cost`} checked={accepted} onChange={toggle} />
          </>
        )}
      </Stack>
    </Card>
  );
}

function lossOf(label: string, channel: string, price: string, cost: string): string {
  const [earned, paid] = [showUsd(price), showUsd(cost)];
  return t`${label} on ${channel}: price ${earned}, cost ${paid}`;
}

/** Shows the lowest margin of a new price, and whether costs are missing. */
function Margin({ summary: { lowest, losses, unknown, lines } }: { summary: MarginSummary }) {
  if (lines.length === 0)
    return (
      <Badge color="gray">
        <Trans>Costs not stated</Trans>
      </Badge>
    );
  const least = lowest?.percent ?? (lowest ? showUsd(lowest.margin) : "");
  return (
    <Group gap={6}>
      <Badge color={losses.length > 0 ? "red" : "green"}>
        {losses.length > 0 ? t`Loss: ${least}` : t`Margin from ${least}`}
      </Badge>
      {unknown.length > 0 && (
        <Badge color="gray">
          <Trans>Some costs not stated</Trans>
        </Badge>
      )}
    </Group>
  );
}
