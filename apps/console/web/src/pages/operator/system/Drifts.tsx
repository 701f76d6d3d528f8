import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
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

const columns = (): Column<Drift>[] => [
  { id: "comparison", header: t`Comparison`, width: "30%", cell: ({ check }) => <Check check={check} /> },
  { id: "where", header: t`Where`, cell: (drift) => <Where drift={drift} /> },
  { id: "measure", header: t`Measure`, cell: ({ measure }) => measure },
  { id: "expected", header: t`Expected`, align: "right", cell: (drift) => amountOf(drift, drift.expected) },
  { id: "found", header: t`Found`, align: "right", cell: (drift) => amountOf(drift, drift.found) },
  {
    id: "difference",
    header: t`Difference`,
    align: "right",
    cell: (drift) => (
      <Text component="span" inherit c="var(--tollgate-bad)">
        {amountOf(drift, drift.difference)}
      </Text>
    ),
  },
  { id: "first_seen", header: t`First seen`, cell: ({ first_seen }) => <Moment at={first_seen} />, secondary: true },
  { id: "last_seen", header: t`Last seen`, cell: ({ last_seen }) => <Moment at={last_seen} /> },
];

/** Lists the differences that the reconciliation found between two records of the same amounts. */
export function Drifts({ drifts, count }: { drifts: Drift[]; count: number }) {
  const shown = showCount(drifts.length);
  const total = showCount(count);
  return (
    <Stack gap="xs">
      <DataTable
        caption={t`Mismatches`}
        columns={columns()}
        rows={drifts}
        rowKey={(drift) => `${drift.check} ${drift.tenant_id} ${drift.account_id} ${drift.start} ${drift.measure}`}
        empty={
          <EmptyState icon={IconCircleCheck} title={t`No mismatches`}>
            <Trans>Usage logs, rollups, accounts, leases and the ledger agree.</Trans>
          </EmptyState>
        }
      />
      {count > drifts.length && (
        <Text size="sm" c="dimmed">
          <Trans>
            The newest {shown} of {total}.
          </Trans>
        </Text>
      )}
    </Stack>
  );
}

function Check({ check }: { check: Drift["check"] }) {
  return (
    <Stack gap={0}>
      <Text component="span" inherit fw={500}>
        {i18n._(checks[check].name)}
      </Text>
      <Text component="span" size="xs" c="dimmed">
        {i18n._(checks[check].about)}
      </Text>
    </Stack>
  );
}

function Where({ drift }: { drift: Drift }) {
  return (
    <Stack gap={0}>
      {drift.tenant_id ? <TenantName id={drift.tenant_id} /> : <Trans>Platform</Trans>}
      {drift.start && <Moment at={drift.start} clock />}
      {drift.account_id && (
        <Copyable value={drift.account_id} label={t`account ID`}>
          {drift.account_id.slice(-8)}
        </Copyable>
      )}
    </Stack>
  );
}
