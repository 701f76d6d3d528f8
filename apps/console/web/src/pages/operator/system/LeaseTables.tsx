import { SimpleGrid } from "@mantine/core";
import { IconCoins } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { EmptyState } from "@/components/states";
import { Copyable, Usd } from "@/components/values";
import { showCount } from "@/format/number";

import { kinds } from "./state";

type Kind = Schema<"LeasedKind">;
type Account = Schema<"LeasedAccount">;

const kindColumns: Column<Kind>[] = [
  { header: "Accounts", cell: ({ kind }) => kinds[kind] ?? kind },
  { header: "Leases", align: "right", cell: ({ leases }) => showCount(leases) },
  { header: "Held", align: "right", cell: ({ amount }) => <Usd amount={amount} short /> },
];

const accountColumns: Column<Account>[] = [
  { header: "Account", cell: ({ account_id }) => <Copyable value={account_id} label="account id">{account_id.slice(-8)}</Copyable> },
  { header: "Of", cell: ({ kind }) => kinds[kind] ?? kind },
  { header: "Tenant", cell: ({ tenant_id }) => (tenant_id ? <TenantName id={tenant_id} /> : "–") },
  { header: "Relays", align: "right", cell: ({ leases }) => showCount(leases) },
  { header: "Held", align: "right", cell: ({ amount }) => <Usd amount={amount} short /> },
];

/** Shows the quota that relays hold in leases: by kind of account, and the accounts with the largest leases. */
export function LeaseTables({ leases }: { leases: Schema<"Leases"> }) {
  const empty = <EmptyState icon={IconCoins} title="Nothing is held" />;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: "start" }}>
      <DataTable caption="Leases by kind of account" columns={kindColumns} rows={leases.kinds} rowKey={({ kind }) => kind} empty={empty} />
      <DataTable caption="The accounts of which most is held" columns={accountColumns} rows={leases.largest} rowKey={({ account_id }) => account_id} empty={empty} />
    </SimpleGrid>
  );
}
