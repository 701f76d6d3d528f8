import { Badge, Text } from "@mantine/core";
import { IconReceipt2 } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { Pager } from "@/components/Pager";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Usd } from "@/components/values";
import { showUsd } from "@/format/money";

type Entry = Schema<"LedgerEntry">;

/** The names and colors of the kinds of ledger entries. */
export const kinds = { grant: ["Grant", "green"], adjustment: ["Adjustment", "yellow"], transfer: ["Transfer", "blue"] } as const;

const columns: Column<Entry>[] = [
  { header: "Time", width: 150, cell: (entry) => <Moment at={entry.created_at} clock /> },
  { header: "Kind", width: 120, cell: (entry) => <Badge color={kinds[entry.kind][1]}>{kinds[entry.kind][0]}</Badge> },
  { header: "Reason", cell: (entry) => entry.reason || <Text component="span" c="dimmed" inherit>None given</Text> },
  { header: "By", cell: (entry) => entry.actor, secondary: true },
  { header: "Amount", align: "right", cell: (entry) => <Signed amount={entry.amount} /> },
  { header: "Granted in all", align: "right", cell: (entry) => <Usd amount={entry.granted} /> },
];

/** Shows an amount with its sign: green if it was granted, red if it was taken back. */
export function Signed({ amount }: { amount: string }) {
  const taken = amount.startsWith("-");
  return (
    <Text component="span" inherit fw={500} c={taken ? "var(--tollgate-bad)" : "var(--tollgate-good)"} className="tabular">
      {taken ? "" : "+"}
      {showUsd(amount)}
    </Text>
  );
}

/** Lists the tenant's ledger entries, newest first. */
export function Ledger() {
  const pages = usePages(["ledger"], (after) => ask(api.GET("/api/ledger", { params: { query: { after } } })));
  return (
    <Section title="Ledger">
      <DataTable
        caption="Entries of the ledger"
        columns={columns}
        rows={pages.rows}
        rowKey={(entry) => entry.id}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={4}
        empty={
          <EmptyState icon={IconReceipt2} title="Nothing was granted yet">
            What the operator grants to your tenant, or takes back, stands here.
          </EmptyState>
        }
        footer={<Pager pages={pages} />}
      />
    </Section>
  );
}
