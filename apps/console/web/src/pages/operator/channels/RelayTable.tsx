import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconServer } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Copyable, Moment, Status } from "@/components/values";
import { showCount } from "@/format/number";
import type { ChannelHealth } from "@/pages/operator/catalog/queries";

import { nameOf, wordOf } from "@/components/channels/status";

type Relay = Schema<"RelayHealth">;

const columns = (): Column<Relay>[] => [
  {
    id: "upstream_model",
    header: t`Upstream model`,
    cell: ({ model }) => (model ? <span className="mono">{model}</span> : t`All`),
  },
  {
    id: "credential",
    header: t`Credential`,
    cell: (relay) => (relay.mask ? <span className="mono">{nameOf(relay)}</span> : t`All`),
  },
  {
    id: "tenants",
    header: t`Tenants`,
    cell: ({ tenants }) => (tenants.length > 0 ? showCount(tenants.length) : t`All`),
  },
  {
    id: "state",
    header: t`State`,
    cell: ({ state }) => (
      <Status value={state === "cooling" ? "cooling" : "pending"}>
        {state === "cooling" ? <Trans>Cooling down</Trans> : <Trans>Half-open</Trans>}
      </Status>
    ),
  },
  { id: "last_failure", header: t`Last failure`, cell: ({ error }) => wordOf(error) },
  {
    id: "failures_in_a_row",
    header: t`Failures in a row`,
    align: "right",
    cell: ({ failures }) => showCount(failures),
  },
  { id: "cools_down_until", header: t`Cools down until`, cell: ({ until }) => <Moment at={until} /> },
  {
    id: "relay",
    header: t`Relay`,
    cell: ({ relay_id }) => (
      <Copyable value={relay_id} label={t`relay ID`}>
        {relay_id.slice(-8)}
      </Copyable>
    ),
    secondary: true,
  },
  { id: "reported", header: t`Reported`, cell: ({ said_at }) => <Moment at={said_at} />, secondary: true },
];

/** Lists the circuit breakers of a channel that are not closed. */
export function RelayTable({ health, error }: { health: ChannelHealth | undefined; error: unknown }) {
  return (
    <DataTable
      caption={t`Health by relay`}
      columns={columns()}
      rows={health?.relays}
      error={error}
      rowKey={({ relay_id, model, fingerprint }) => `${relay_id} ${model} ${fingerprint}`}
      skeletonRows={1}
      empty={
        <EmptyState icon={IconServer} title={t`No relay reports failures of calls`}>
          <Trans>The status of the channel also counts the probes of its credentials.</Trans>
        </EmptyState>
      }
    />
  );
}
