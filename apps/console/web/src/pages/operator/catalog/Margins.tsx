import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Badge, Card, Stack, Table, Text } from "@mantine/core";

import { showUsd } from "@/format/money";

import { listed } from "./labels";
import { type MarginLine, marginsOf, type PriceMargins } from "./margins";

/** Shows the margin of a new price over the costs of each channel that serves the model. Losses are marked. */
export function Margins({ of }: { of: Pick<PriceMargins, "channels"> }) {
  const { lines, losses, unknown } = marginsOf(of);
  const missing = listed(unknown);
  return (
    <Stack gap="xs">
      {losses.length > 0 && (
        <Alert color="red" title={t`Below cost`}>
          <Trans>At this price you pay more than you earn for the marked lines.</Trans>
        </Alert>
      )}
      {lines.length > 0 && (
        <Card padding={0}>
          <Table.ScrollContainer minWidth={300} type="native" tabIndex={0} role="region" aria-label={t`Margin`}>
            <Table verticalSpacing={6} horizontalSpacing="xs" fz="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th scope="col">
                    <Trans>Channel and class</Trans>
                  </Table.Th>
                  <Table.Th scope="col" ta="right">
                    <Trans>Price</Trans>
                  </Table.Th>
                  <Table.Th scope="col" ta="right">
                    <Trans>Cost</Trans>
                  </Table.Th>
                  <Table.Th scope="col" ta="right">
                    <Trans>Margin</Trans>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {lines.map((line) => (
                  <Line key={`${line.channel} ${line.label}`} line={line} />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Card>
      )}
      {unknown.length > 0 && (
        <Text size="sm" c="dimmed">
          <Trans>Costs are not stated for: {missing}.</Trans>
        </Text>
      )}
      {of.channels.length === 0 && (
        <Text size="sm" c="dimmed">
          <Trans>No enabled channel serves this model.</Trans>
        </Text>
      )}
      {lines.length > 0 && (
        <Text size="sm" c="dimmed">
          <Trans>At the model’s price. Groups with a multiplier or a fixed price pay more or less.</Trans>
        </Text>
      )}
    </Stack>
  );
}

function Line({ line: { channel, label, price, cost, margin, percent, loss } }: { line: MarginLine }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {label}
        <Text component="span" size="xs" c="dimmed" display="block">
          {channel}
        </Text>
      </Table.Th>
      <Table.Td ta="right" className="tabular">
        {showUsd(price)}
      </Table.Td>
      <Table.Td ta="right" className="tabular">
        {showUsd(cost)}
      </Table.Td>
      <Table.Td ta="right" className="tabular" c={loss ? "var(--tollgate-bad)" : undefined}>
        {showUsd(margin)}
        <Text component="span" size="xs" display="block" c={loss ? "var(--tollgate-bad)" : "dimmed"}>
          {loss && (
            <Badge color="red" mr={4}>
              <Trans>Loss</Trans>
            </Badge>
          )}
          {percent}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

/** Asks whether prices below cost are intended, with the lines that lose. */
export function LossQuestion({ lines }: { lines: readonly MarginLine[] }) {
  const shown = lines.slice(0, 6);
  const more = lines.length - shown.length;
  return (
    <Stack gap="xs">
      <Text>
        <Trans>This price is below what the upstream charges:</Trans>
      </Text>
      <ul style={{ margin: 0, paddingInlineStart: 20 }}>
        {shown.map((line) => (
          <li key={`${line.channel} ${line.label}`}>{lossLine(line)}</li>
        ))}
        {more > 0 && (
          <li>
            <Trans>and {more} more</Trans>
          </li>
        )}
      </ul>
    </Stack>
  );
}

function lossLine({ channel, label, price, cost }: MarginLine): string {
  const [earned, paid] = [showUsd(price), showUsd(cost)];
  return t`${label} on ${channel}: price ${earned}, cost ${paid}`;
}
