import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Text } from "@mantine/core";
import { IconReceipt2 } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { Pager } from "@/components/Pager";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Usd } from "@/components/values";
import { parseUsd, showUsd } from "@/format/money";

type Entry = Schema<"LedgerEntry">;

/** The names and colors of the kinds of ledger entries. */
export const kinds = {
  get grant() {
    return [t`Grant`, "green"] as const;
  },
  get adjustment() {
    return [t`Adjustment`, "yellow"] as const;
  },
  get transfer() {
    return [t`Transfer`, "blue"] as const;
  },
};

const columns = (): Column<Entry>[] => [
  {
    id: "time",
    header: t`Time`,
    width: 150,
    value: (entry) => entry.created_at,
    cell: (entry) => <Moment at={entry.created_at} clock />,
  },
  {
    id: "kind",
    header: t`Kind`,
    width: 120,
    value: (entry) => kinds[entry.kind][0],
    cell: (entry) => <Badge color={kinds[entry.kind][1]}>{kinds[entry.kind][0]}</Badge>,
  },
  {
    id: "reason",
    header: t`Reason`,
    value: (entry) => entry.reason,
    cell: (entry) =>
      entry.reason || (
        <span className="dimmed">
          <Trans>None given</Trans>
        </span>
      ),
  },
  { id: "by", header: t`By`, value: (entry) => entry.actor, cell: (entry) => entry.actor, secondary: true },
  {
    id: "amount",
    header: t`Amount`,
    align: "right",
    value: (entry) => entry.amount,
    sortBy: (entry) => parseUsd(entry.amount),
    cell: (entry) => <Signed amount={entry.amount} />,
  },
  {
    id: "granted",
    header: t`Total granted`,
    align: "right",
    value: (entry) => entry.granted,
    sortBy: (entry) => parseUsd(entry.granted),
    cell: (entry) => <Usd amount={entry.granted} />,
  },
];

/** Shows an amount with its sign: green if it was granted, red if it was taken back. */
export function Signed({ amount }: { amount: string }) {
  const taken = amount.startsWith("-");
  return (
    <Text
      component="span"
      inherit
      fw={500}
      c={taken ? "var(--tollgate-bad)" : "var(--tollgate-good)"}
      className="tabular"
    >
      {taken ? "" : "+"}
      {showUsd(amount)}
    </Text>
  );
}

/** Lists the tenant's ledger entries, newest first. */
export function Ledger() {
  const pages = usePages(["ledger"], (after) => ask(api.GET("/api/ledger", { params: { query: { after } } })));
  return (
    <Section title={t`Ledger`}>
      <DataTable
        table="ledger"
        whole={pages.whole}
        caption={t`Ledger entries`}
        columns={columns()}
        rows={pages.rows}
        rowKey={(entry) => entry.id}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={4}
        empty={
          <EmptyState icon={IconReceipt2} title={t`Nothing was granted yet`}>
            <Trans>Quota that the operator grants to your tenant or takes back appears here.</Trans>
          </EmptyState>
        }
        footer={<Pager pages={pages} />}
      />
    </Section>
  );
}
