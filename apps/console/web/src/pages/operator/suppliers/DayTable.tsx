import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Stack, Text } from "@mantine/core";
import { IconReceipt2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { type Column, DataTable } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { EmptyState } from "@/components/states";
import { Usd } from "@/components/values";
import { parseUsd } from "@/format/money";
import { showCount } from "@/format/number";

import { daysQuery } from "./queries";
import { type Day } from "./reasons";
import { Result } from "./Result";

interface DayTableProps {
  /** Only days of this account; undefined for all accounts. */
  accountId?: string;
  status?: Day["status"] | undefined;
  /** The names of accounts by id, to show a column with them. */
  names?: Map<string, string>;
}

/** Lists the comparisons of the last 31 days. */
export function DayTable({ accountId, status, names }: DayTableProps) {
  const days = useQuery(daysQuery(accountId, status));
  const navigate = useNavigate();
  const columns: Column<Day>[] = [
    {
      id: "day",
      header: t`Day`,
      width: 120,
      value: ({ day }) => day,
      cell: ({ day, account_id }) => (
        <AnchorLink
          to="/operator/supplier-invoices/$id"
          params={{ id: account_id }}
          search={{ day }}
          inherit
          fw={500}
          c="inherit"
          className="tabular"
        >
          {day}
        </AnchorLink>
      ),
    },
    ...(names
      ? [
          {
            id: "account",
            header: t`Account`,
            width: 180,
            value: ({ account_id }: Day) => names.get(account_id) ?? account_id,
            cell: ({ account_id }: Day) => names.get(account_id) ?? account_id.slice(-8),
          },
        ]
      : []),
    {
      id: "provider",
      header: t`Provider`,
      align: "right",
      width: 120,
      value: ({ amount }) => amount,
      sortBy: ({ amount }) => (amount === null ? undefined : parseUsd(amount)),
      cell: ({ amount }) => (amount === null ? "–" : <Usd amount={amount} short />),
    },
    {
      id: "usage_logs",
      header: t`Usage logs`,
      align: "right",
      width: 120,
      value: ({ supplier_cost }) => supplier_cost,
      sortBy: ({ supplier_cost }) => parseUsd(supplier_cost),
      cell: ({ supplier_cost }) => <Usd amount={supplier_cost} short />,
    },
    {
      id: "difference",
      header: t`Difference`,
      align: "right",
      width: 120,
      value: ({ difference, status: result }) => (result === "pending" ? undefined : difference),
      sortBy: ({ difference, status: result }) =>
        result === "pending" || difference === null ? undefined : parseUsd(difference),
      cell: ({ difference, status: result }) => (result === "pending" ? "–" : <Usd amount={difference} short />),
    },
    {
      id: "requests",
      header: t`Requests`,
      align: "right",
      width: 120,
      secondary: true,
      value: ({ requests }) => requests,
      cell: ({ requests, unpriced_calls }) => <Calls requests={requests} unpriced={unpriced_calls} />,
    },
    { id: "result", header: t`Result`, value: (day) => day.status, cell: (day) => <Result of={day} /> },
  ];
  return (
    <DataTable
      table="supplier-days"
      whole
      caption={t`Days`}
      columns={columns}
      rows={days.data?.items}
      rowKey={({ account_id, day }) => `${account_id} ${day}`}
      onRowClick={({ account_id, day }) =>
        void navigate({ to: "/operator/supplier-invoices/$id", params: { id: account_id }, search: { day } })
      }
      error={days.error}
      retry={() => void days.refetch()}
      empty={
        <EmptyState icon={IconReceipt2} title={status ? t`No matching days` : t`No days yet`}>
          {status ? undefined : t`A worker compares completed UTC days within minutes after an account is created.`}
        </EmptyState>
      }
    />
  );
}

function Calls({ requests, unpriced }: { requests: number; unpriced: number }) {
  const without = showCount(unpriced);
  return (
    <Stack gap={0}>
      <span>{showCount(requests)}</span>
      {unpriced > 0 && (
        <Text component="span" size="xs" c="dimmed">
          <Trans>{without} without cost</Trans>
        </Text>
      )}
    </Stack>
  );
}
