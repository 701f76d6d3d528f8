import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Badge, Text } from "@mantine/core";
import { IconReceipt2 } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { knownTenantName } from "@/api/names";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Usd } from "@/components/values";
import { parseUsd } from "@/format/money";
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
  {
    id: "time",
    header: t`Time`,
    width: 140,
    value: (entry) => entry.created_at,
    cell: (entry) => <Moment at={entry.created_at} clock />,
  },
  ...(tenantId
    ? []
    : [
        {
          id: "tenant",
          header: t`Tenant`,
          value: (entry: Entry) => knownTenantName(entry.tenant_id),
          cell: (entry: Entry) => <TenantLink id={entry.tenant_id} />,
        },
      ]),
  {
    id: "kind",
    header: t`Kind`,
    width: 110,
    value: (entry) => kinds[entry.kind][0],
    cell: (entry) => <Badge color={kinds[entry.kind][1]}>{kinds[entry.kind][0]}</Badge>,
  },
  {
    id: "reason",
    header: t`Reason`,
    value: (entry) => entry.reason,
    cell: (entry) => (
      <>
        {entry.reason}
        {entry.counterpart_id && (
          <Text size="xs" c="dimmed">
            {entry.amount.startsWith("-") ? (
              <Trans>
                to <TenantLink id={entry.counterpart_id} />
              </Trans>
            ) : (
              <Trans>
                from <TenantLink id={entry.counterpart_id} />
              </Trans>
            )}
          </Text>
        )}
      </>
    ),
  },
  { id: "by", header: t`By`, width: 190, value: (entry) => entry.actor, cell: (entry) => entry.actor, secondary: true },
  {
    id: "amount",
    header: t`Amount`,
    align: "right",
    width: 130,
    value: (entry) => entry.amount,
    sortBy: (entry) => parseUsd(entry.amount),
    cell: (entry) => <Signed amount={entry.amount} />,
  },
  {
    id: "total_granted",
    header: t`Total granted`,
    align: "right",
    width: 120,
    value: (entry) => entry.granted,
    sortBy: (entry) => parseUsd(entry.granted),
    cell: (entry) => <Usd amount={entry.granted} />,
    secondary: true,
  },
];

/** Lists grants, adjustments and transfers of one tenant or of all tenants, newest first. */
export function LedgerTable({ tenantId }: { tenantId?: string | undefined }) {
  const pages = usePages(["grants", tenantId], (after) =>
    ask(api.GET("/api/operator/grants", { params: { query: { limit: 100, after, tenant_id: tenantId } } })),
  );
  return (
    <DataTable
      table="operator-ledger"
      caption={t`Ledger`}
      whole={pages.whole}
      columns={columnsFor(tenantId)}
      rows={pages.rows}
      rowKey={(entry) => entry.id}
      error={pages.error}
      retry={pages.retry}
      stale={pages.stale}
      empty={
        <EmptyState icon={IconReceipt2} title={t`Nothing was granted yet`}>
          <Trans>Grants, adjustments and transfers appear here.</Trans>
        </EmptyState>
      }
      footer={<Pager pages={pages} />}
    />
  );
}
