import { Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { EmptyState } from "@/components/states";
import { Copyable, Moment } from "@/components/values";
import { showCount } from "@/format/number";
import { showUsd } from "@/format/money";

import { checks } from "./state";

type Drift = Schema<"Drift">;

/** Formats a number of a drift. The measure "quota" is in nano-dollars, all others are counts. */
const amountOf = (drift: Drift, n: number) => (drift.measure === "quota" ? showUsd(BigInt(n)) : showCount(n));

const columns: Column<Drift>[] = [
  { header: "Comparison", width: "30%", cell: ({ check }) => <Check check={check} /> },
  { header: "Where", cell: (drift) => <Where drift={drift} /> },
  { header: "Measure", cell: ({ measure }) => measure },
  { header: "Expected", align: "right", cell: (drift) => amountOf(drift, drift.expected) },
  { header: "Found", align: "right", cell: (drift) => amountOf(drift, drift.found) },
  { header: "Difference", align: "right", cell: (drift) => <Text component="span" inherit c="var(--tollgate-bad)">{amountOf(drift, drift.difference)}</Text> },
  { header: "First seen", cell: ({ first_seen }) => <Moment at={first_seen} />, secondary: true },
  { header: "Last seen", cell: ({ last_seen }) => <Moment at={last_seen} /> },
];

/** Lists the differences that the reconciliation found between two records of the same amounts. */
export function Drifts({ drifts, count }: { drifts: Drift[]; count: number }) {
  return (
    <Stack gap="xs">
      <DataTable
        caption="Drifts" columns={columns} rows={drifts} rowKey={(drift) => `${drift.check} ${drift.tenant_id} ${drift.account_id} ${drift.start} ${drift.measure}`}
        empty={<EmptyState icon={IconCircleCheck} title="No drift">Usage logs, summaries, accounts, leases and the ledger come to the same.</EmptyState>}
      />
      {count > drifts.length && <Text size="sm" c="dimmed">The newest {drifts.length} of {showCount(count)}.</Text>}
    </Stack>
  );
}

function Check({ check }: { check: Drift["check"] }) {
  return (
    <Stack gap={0}>
      <Text component="span" inherit fw={500}>{checks[check].name}</Text>
      <Text component="span" size="xs" c="dimmed">{checks[check].about}</Text>
    </Stack>
  );
}

function Where({ drift }: { drift: Drift }) {
  return (
    <Stack gap={0}>
      {drift.tenant_id ? <TenantName id={drift.tenant_id} /> : "Platform"}
      {drift.start && <Moment at={drift.start} clock />}
      {drift.account_id && <Copyable value={drift.account_id} label="account id">{drift.account_id.slice(-8)}</Copyable>}
    </Stack>
  );
}
