import { IconCircleCheck } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Copyable, Moment, Status } from "@/components/values";
import type { ChannelHealth } from "@/pages/operator/catalog/queries";

import { wordOf } from "./health";

type Relay = Schema<"RelayHealth">;

const columns: Column<Relay>[] = [
  { header: "Upstream model", cell: ({ model }) => (model ? <span className="mono">{model}</span> : "All") },
  { header: "Credential", cell: ({ mask }) => (mask ? <span className="mono">{mask}</span> : "All") },
  { header: "Tenants", cell: ({ tenants }) => (tenants.length > 0 ? tenants.length : "All") },
  { header: "State", cell: ({ state }) => <Status value={state === "cooling" ? "cooling" : "pending"}>{state === "cooling" ? "Resting" : "On trial"}</Status> },
  { header: "Last failure", cell: ({ error }) => wordOf(error) },
  { header: "In a row", align: "right", cell: ({ failures }) => failures },
  { header: "Rests until", cell: ({ until }) => <Moment at={until} /> },
  { header: "Relay", cell: ({ relay_id }) => <Copyable value={relay_id} label="relay id">{relay_id.slice(-8)}</Copyable>, secondary: true },
  { header: "Said", cell: ({ said_at }) => <Moment at={said_at} />, secondary: true },
];

/** Lists the circuit breakers of a channel that are not closed. */
export function RelayTable({ health, error }: { health: ChannelHealth | undefined; error: unknown }) {
  return (
    <DataTable
      caption="What relays see" columns={columns} rows={health?.relays} error={error} rowKey={({ relay_id, model, fingerprint }) => `${relay_id} ${model} ${fingerprint}`} skeletonRows={1}
      empty={<EmptyState icon={IconCircleCheck} title="All is well">No relay says that a model or credential of this channel failed lately.</EmptyState>}
    />
  );
}
