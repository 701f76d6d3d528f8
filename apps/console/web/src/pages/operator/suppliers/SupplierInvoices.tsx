import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Select, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconReceipt2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { type Column, DataTable } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { Moment, Status, statusWord } from "@/components/values";
import { showCount } from "@/format/number";

import { AccountEditor } from "./AccountEditor";
import { DayTable } from "./DayTable";
import { accountsQuery } from "./queries";
import { type Account, providerName } from "./reasons";

const route = getRouteApi("/signed-in/operator/supplier-invoices");

const columnsOf = (): Column<Account>[] => [
  {
    id: "account",
    header: t`Account`,
    value: ({ name }) => name,
    cell: ({ id, name, provider }) => (
      <Stack gap={0}>
        <AnchorLink to="/operator/supplier-invoices/$id" params={{ id }} inherit fw={500} c="inherit">
          {name}
        </AnchorLink>
        <Text size="xs" c="dimmed">
          {providerName(provider)}
        </Text>
      </Stack>
    ),
  },
  {
    id: "status",
    header: t`Status`,
    width: 120,
    value: ({ status }) => status,
    cell: ({ status }) => <Status value={status} />,
  },
  {
    id: "channels",
    header: t`Channels`,
    align: "right",
    width: 110,
    value: ({ channels_count: count }) => count,
    cell: ({ channels_count: count }) => showCount(count),
  },
  {
    id: "last_report",
    header: t`Last report`,
    align: "right",
    width: 140,
    value: ({ fetched_at }) => fetched_at,
    cell: ({ fetched_at }) => <Moment at={fetched_at} />,
  },
  {
    id: "error",
    header: t`Error`,
    value: ({ error }) => error,
    cell: ({ error }) =>
      error && (
        <Text component="span" size="sm" c="var(--tollgate-bad)">
          {error}
        </Text>
      ),
    secondary: true,
  },
];

const results = ["differs", "matches", "pending"] as const;

/** Shows what providers say that they charged, next to the supplier cost of the usage logs. */
export function SupplierInvoices() {
  const { status } = route.useSearch();
  const navigate = useNavigate();
  const accounts = useQuery(accountsQuery);
  const [creating, create] = useDisclosure();
  const all = accounts.data?.items;
  return (
    <Page
      wide
      title={t`Supplier invoices`}
      description={t`What providers report that they charged, compared with the supplier cost of your usage logs, by UTC day.`}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={create.open}>
          <Trans>New billing account</Trans>
        </Button>
      }
    >
      <Section title={t`Billing accounts`}>
        <DataTable
          table="billing-accounts"
          whole
          caption={t`Billing accounts`}
          columns={columnsOf()}
          rows={all}
          rowKey={({ id }) => id}
          skeletonRows={2}
          onRowClick={({ id }) => void navigate({ to: "/operator/supplier-invoices/$id", params: { id } })}
          faded={(account) => account.status === "disabled"}
          error={accounts.error}
          retry={() => void accounts.refetch()}
          empty={
            <EmptyState icon={IconReceipt2} title={t`No billing accounts yet`}>
              <Trans>Create one with a billing credential of your provider, or upload its invoices as CSV files.</Trans>
            </EmptyState>
          }
        />
      </Section>
      {all && all.length > 0 && (
        <Section
          title={t`Days`}
          description={t`The difference is what the provider charged minus the supplier cost of the usage logs.`}
        >
          <Stack>
            <Select
              aria-label={t`Result`}
              placeholder={t`All results`}
              clearable
              w={{ base: "100%", sm: 220 }}
              data={results.map((value) => ({
                value,
                label: value === "pending" ? t`Not reported yet` : statusWord(value),
              }))}
              value={status ?? null}
              onChange={(next) =>
                void navigate({
                  to: "/operator/supplier-invoices",
                  search: { status: results.find((value) => value === next) },
                  replace: true,
                })
              }
            />
            <DayTable status={status} names={new Map(all.map(({ id, name }) => [id, name]))} />
          </Stack>
        </Section>
      )}
      <AccountEditor opened={creating} close={create.close} />
    </Page>
  );
}
