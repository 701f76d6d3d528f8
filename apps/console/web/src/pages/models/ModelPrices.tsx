import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Table, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { labelOf, perMillion, unitOf } from "@/components/usage/classes";
import { showExact } from "@/format/money";

import { columnsOf, type PriceColumn, type PriceRow, tokenRows, toolRows } from "./prices";

/** Shows what the caller's group pays for a model: tokens with tiers and service tiers, requests, and tools. */
export function ModelPrices({ model }: { model: Schema<"VisibleModel"> }) {
  if (model.free)
    return (
      <Text c="dimmed">
        <Trans>This model is free.</Trans>
      </Text>
    );
  const columns = columnsOf(model);
  const [tokens, tools] = [tokenRows(columns), toolRows(columns)];
  return (
    <>
      {tokens.length > 0 && <Prices caption={t`Prices of tokens and requests`} columns={columns} rows={tokens} />}
      {tools.length > 0 && (
        <Prices
          caption={t`Prices of tools that the provider runs`}
          columns={[{ key: "", header: t`Price`, prices: [] }]}
          rows={tools}
        />
      )}
      {columns.some(({ key }) => key !== "") && (
        <Text size="sm" c="dimmed">
          <Trans>
            Above a threshold, all tokens of the request have that price. A service tier applies to requests that the
            provider answered in it.
          </Trans>
        </Text>
      )}
    </>
  );
}

function Prices({
  caption,
  columns,
  rows,
}: {
  caption: string;
  columns: readonly PriceColumn[];
  rows: readonly PriceRow[];
}) {
  return (
    <Card padding={0}>
      <Table.ScrollContainer
        minWidth={columns.length > 1 ? 200 + 120 * columns.length : 0}
        type="native"
        tabIndex={0}
        role="region"
        aria-label={caption}
      >
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t`Charged for`}</Table.Th>
              {columns.map(({ key, header }) => (
                <Table.Th key={key} scope="col" ta="right">
                  {header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ name, cells }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" fw={400}>
                  {labelOf(name)}
                  <Text component="span" c="dimmed" size="sm" style={{ whiteSpace: "nowrap" }}>
                    {unit(name)}
                  </Text>
                </Table.Th>
                {cells.map((price, i) => (
                  <Table.Td key={columns[i]?.key ?? i} ta="right" className="tabular">
                    {price === undefined ? "–" : showExact(price)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

/** Returns the unit of a price, to stand after the name of its class; "" for a price per request. */
function unit(name: string): string {
  const of = unitOf(name);
  if (of === "") return "";
  return perMillion(name) ? t` / 1M tokens` : ` / ${of}`;
}
