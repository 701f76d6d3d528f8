import { Anchor, Badge, Text } from "@mantine/core";
import { IconReceipt2 } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Usd } from "@/components/values";
import { kinds, Signed } from "@/pages/quota/Ledger";

type Entry = Schema<"LedgerEntry">;

function TenantLink({ id }: { id: string }) {
  return (
    <Anchor component={Link} to={`/operator/tenants/${id}`} c="inherit">
      <TenantName id={id} />
    </Anchor>
  );
}

const columnsFor = (tenantId: string | undefined): Column<Entry>[] => [
  { header: "Time", width: 140, cell: (entry) => <Moment at={entry.created_at} clock /> },
  ...(tenantId ? [] : [{ header: "Tenant", cell: (entry: Entry) => <TenantLink id={entry.tenant_id} /> }]),
  { header: "Kind", width: 110, cell: (entry) => <Badge color={kinds[entry.kind][1]}>{kinds[entry.kind][0]}</Badge> },
  {
    header: "Reason",
    cell: (entry) => (
      <>
        {entry.reason}
        {entry.counterpart_id && (
          <Text size="xs" c="dimmed">
            {entry.amount.startsWith("-") ? "to" : "from"} <TenantLink id={entry.counterpart_id} />
          </Text>
        )}
      </>
    ),
  },
  { header: "By", width: 190, cell: (entry) => entry.actor, secondary: true },
  { header: "Amount", align: "right", width: 130, cell: (entry) => <Signed amount={entry.amount} /> },
  { header: "Granted in all", align: "right", width: 120, cell: (entry) => <Usd amount={entry.granted} />, secondary: true },
];

/** Lists grants, adjustments and transfers of one tenant or of all tenants, newest first. */
export function LedgerTable({ tenantId }: { tenantId?: string | undefined }) {
  const pages = usePages(["grants", tenantId], (after) => ask(api.GET("/api/operator/grants", { params: { query: { after, tenant_id: tenantId } } })));
  return (
    <DataTable
      caption="Ledger"
      columns={columnsFor(tenantId)}
      rows={pages.rows}
      rowKey={(entry) => entry.id}
      error={pages.error}
      retry={pages.retry}
      stale={pages.stale}
      empty={<EmptyState icon={IconReceipt2} title="Nothing was granted yet">Grants, adjustments and transfers stand here for ever.</EmptyState>}
      footer={<Pager pages={pages} />}
    />
  );
}
