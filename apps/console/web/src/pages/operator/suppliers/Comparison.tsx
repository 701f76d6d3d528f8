import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { SimpleGrid, Stack, Text } from "@mantine/core";
import { IconReceipt2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { type Column, DataTable } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { Stat } from "@/components/Stat";
import { EmptyState, ErrorState, LoadingState } from "@/components/states";
import { Moment, Usd } from "@/components/values";
import { showCount } from "@/format/number";

import { comparisonQuery } from "./queries";
import { type Account, type Line } from "./reasons";
import { Result } from "./Result";

/** Shows both sides of the comparison of one day, by model and key. */
export function Comparison({ account, day }: { account: Account; day: string }) {
  const query = useQuery(comparisonQuery(account.id, day));
  const parent = { to: `/operator/supplier-invoices/${account.id}`, label: account.name };
  if (!query.data) {
    return (
      <Page title={day} parent={parent}>
        {query.error ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <LoadingState />}
      </Page>
    );
  }
  const { models, ...result } = query.data;
  const unpriced = showCount(result.unpriced_calls);
  const keyed = models.filter(({ keys }) => keys.length > 0);
  return (
    <Page wide title={`${account.name}, ${day}`} parent={parent} description={<Result of={result} />}>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Stat
          label={t`Charged by the provider`}
          value={result.amount === null ? "–" : <Usd amount={result.amount} short />}
          hint={
            <Trans>
              Reported: <Moment at={result.fetched_at} />
            </Trans>
          }
        />
        <Stat
          label={t`Supplier cost of the usage logs`}
          value={<Usd amount={result.supplier_cost} short />}
          hint={
            <Trans>
              Compared: <Moment at={result.compared_at} />
            </Trans>
          }
        />
        <Stat
          label={t`Difference`}
          value={result.status === "pending" ? "–" : <Usd amount={result.difference} short />}
          hint={t`Provider minus usage logs`}
        />
        <Stat
          label={t`Requests`}
          value={showCount(result.requests)}
          hint={result.unpriced_calls > 0 ? t`${unpriced} without a supplier cost` : undefined}
        />
      </SimpleGrid>
      <Section title={t`By model`}>
        <Lines caption={t`Models`} header={t`Model`} lines={models} />
      </Section>
      {keyed.map((model) => (
        <Section key={model.name} title={keysOf(model.name)}>
          <Lines caption={keysOf(model.name)} header={t`Key`} lines={model.keys} />
        </Section>
      ))}
    </Page>
  );
}

const keysOf = (model: string) => (model ? t`Keys of ${model}` : t`Keys of charges without a model`);

function Lines({ caption, header, lines }: { caption: string; header: string; lines: Line[] }) {
  const columns: Column<Line>[] = [
    {
      id: "name",
      header,
      width: 190,
      value: ({ name }) => name,
      cell: ({ name, ours }) => <Name name={name} ours={ours} />,
    },
    {
      id: "provider",
      header: t`Provider`,
      align: "right",
      width: 110,
      cell: ({ provider }) => (provider.amount === null ? "–" : <Usd amount={provider.amount} short />),
    },
    {
      id: "usage_logs",
      header: t`Usage logs`,
      align: "right",
      width: 110,
      cell: ({ own }) => <Usd amount={own.supplier_cost} short />,
    },
    {
      id: "difference",
      header: t`Difference`,
      align: "right",
      width: 110,
      cell: ({ difference }) => (difference === null ? "–" : <Usd amount={difference} short />),
    },
    {
      id: "input_tokens",
      header: t`Input tokens`,
      align: "right",
      cell: ({ provider, own }) => <Both theirs={provider.input_tokens} ours={own.input_tokens} />,
      secondary: true,
    },
    {
      id: "output_tokens",
      header: t`Output tokens`,
      align: "right",
      cell: ({ provider, own }) => <Both theirs={provider.output_tokens} ours={own.output_tokens} />,
      secondary: true,
    },
    {
      id: "requests",
      header: t`Requests`,
      align: "right",
      cell: ({ provider, own }) => <Both theirs={provider.requests} ours={own.requests} />,
      secondary: true,
    },
    { id: "result", header: t`Result`, cell: (line) => <Result of={line} /> },
  ];
  return (
    <DataTable
      caption={caption}
      columns={columns}
      rows={lines}
      rowKey={({ name }) => name}
      empty={<EmptyState icon={IconReceipt2} title={t`Nothing on either side`} />}
    />
  );
}

function Name({ name, ours }: { name: string; ours: boolean }) {
  return (
    <Stack gap={0}>
      <Text component="span" inherit fw={500} className="mono">
        {name || t`Not attributed`}
      </Text>
      {!ours && (
        <Text component="span" size="xs" c="dimmed">
          <Trans>Not in the usage logs</Trans>
        </Text>
      )}
    </Stack>
  );
}

/** Shows the count of the provider over that of the usage logs. */
function Both({ theirs, ours }: { theirs: number | null; ours: number }) {
  const logged = showCount(ours);
  return (
    <Stack gap={0}>
      <span className="tabular">{theirs === null ? "–" : showCount(theirs)}</span>
      <Text component="span" size="xs" c="dimmed" className="tabular">
        <Trans>{logged} logged</Trans>
      </Text>
    </Stack>
  );
}
