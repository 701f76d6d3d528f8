import { t } from "@lingui/core/macro";
import { SimpleGrid } from "@mantine/core";
import { IconCoins } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { EmptyState } from "@/components/states";
import { Copyable, Usd } from "@/components/values";
import { showCount } from "@/format/number";

import { kindName } from "./state";

type Kind = Schema<"LeasedKind">;
type Account = Schema<"LeasedAccount">;

const kindColumns = (): Column<Kind>[] => [
  { id: "accounts", header: t`Accounts`, cell: ({ kind }) => kindName(kind) },
  { id: "leases", header: t`Leases`, align: "right", cell: ({ leases }) => showCount(leases) },
  { id: "leased", header: t`Leased`, align: "right", cell: ({ amount }) => <Usd amount={amount} short /> },
];

const accountColumns = (): Column<Account>[] => [
  {
    id: "account",
    header: t`Account`,
    cell: ({ account_id }) => (
      <Copyable value={account_id} label={t`account ID`}>
        {account_id.slice(-8)}
      </Copyable>
    ),
  },
  { id: "type", header: t`Type`, cell: ({ kind }) => kindName(kind) },
  { id: "tenant", header: t`Tenant`, cell: ({ tenant_id }) => (tenant_id ? <TenantName id={tenant_id} /> : "–") },
  { id: "relays", header: t`Relays`, align: "right", cell: ({ leases }) => showCount(leases) },
  { id: "leased", header: t`Leased`, align: "right", cell: ({ amount }) => <Usd amount={amount} short /> },
];

/** Shows the quota that relays hold in leases: by kind of account, and the accounts with the largest leases. */
export function LeaseTables({ leases }: { leases: Schema<"Leases"> }) {
  const empty = <EmptyState icon={IconCoins} title={t`Nothing is leased`} />;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: "start" }}>
      <DataTable
        caption={t`Leases by type of account`}
        columns={kindColumns()}
        rows={leases.kinds}
        rowKey={({ kind }) => kind}
        empty={empty}
      />
      <DataTable
        caption={t`Accounts with the largest leases`}
        columns={accountColumns()}
        rows={leases.largest}
        rowKey={({ account_id }) => account_id}
        empty={empty}
      />
    </SimpleGrid>
  );
}
