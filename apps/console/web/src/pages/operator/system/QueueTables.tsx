import { Text } from "@mantine/core";
import { IconStack2, IconTool } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Moment, Status } from "@/components/values";
import { showCount, showMillis } from "@/format/number";

type Queues = Schema<"Queues">;
type Queue = Schema<"Queue">;
type Worker = Schema<"Worker">;

const figure = (n: number, bad = false) => <Text component="span" inherit c={n === 0 ? "dimmed" : bad ? "var(--tollgate-bad)" : undefined} className="tabular">{showCount(n)}</Text>;

const queueColumns: Column<Queue>[] = [
  { header: "Queue", cell: ({ name }) => <span className="mono">{name}</span> },
  { header: "State", cell: ({ paused }) => (paused ? <Status value="cooling">Paused</Status> : <Status value="running">Running</Status>) },
  { header: "Ready", align: "right", cell: ({ pending }) => figure(pending) },
  { header: "Active", align: "right", cell: ({ active }) => figure(active) },
  { header: "Scheduled", align: "right", cell: ({ scheduled }) => figure(scheduled), secondary: true },
  { header: "To retry", align: "right", cell: ({ retry }) => figure(retry) },
  { header: "Failed for good", align: "right", cell: ({ archived }) => figure(archived, true) },
  { header: "Oldest waits", align: "right", cell: ({ latency_ms }) => (latency_ms > 0 ? showMillis(latency_ms) : <Text component="span" c="dimmed" inherit>–</Text>) },
  { header: "Today", align: "right", cell: ({ processed_today, failed_today }) => `${showCount(processed_today)}${failed_today > 0 ? `, ${showCount(failed_today)} failed` : ""}`, secondary: true },
];

const nothing: Record<Queues["status"], string> = { ok: "Nothing was ever queued", failing: "Redis does not answer", unknown: "The queues cannot be seen from here" };

/** Lists the queues of background work. */
export function QueueTable({ queues }: { queues: Queues }) {
  return <DataTable caption="Queues" columns={queueColumns} rows={queues.queues} rowKey={({ name }) => name} empty={<EmptyState icon={IconStack2} title={nothing[queues.status]} />} />;
}

const workerColumns: Column<Worker>[] = [
  { header: "Worker", cell: ({ host, pid }) => <span className="mono">{host}:{pid}</span> },
  { header: "Status", cell: ({ status }) => <Status value={status === "active" ? "alive" : "unknown"}>{status === "active" ? "Active" : status}</Status> },
  { header: "Tasks", align: "right", cell: ({ active }) => showCount(active) },
  { header: "Started", align: "right", cell: ({ started_at }) => <Moment at={started_at} /> },
];

/** Lists the worker processes. */
export function WorkerTable({ queues }: { queues: Queues }) {
  return <DataTable caption="Workers" columns={workerColumns} rows={queues.workers} rowKey={({ id }) => id} empty={<EmptyState icon={IconTool} title={queues.status === "ok" ? "No worker is running" : nothing[queues.status]} />} />;
}
