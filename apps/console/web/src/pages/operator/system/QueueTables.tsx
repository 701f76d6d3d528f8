import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
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

const figure = (n: number, bad = false) => (
  <Text component="span" inherit c={n === 0 ? "dimmed" : bad ? "var(--tollgate-bad)" : undefined} className="tabular">
    {showCount(n)}
  </Text>
);

const queueColumns = (): Column<Queue>[] => [
  { id: "queue", header: t`Queue`, cell: ({ name }) => <span className="mono">{name}</span> },
  {
    id: "state",
    header: t`State`,
    cell: ({ paused }) =>
      paused ? (
        <Status value="cooling">
          <Trans>Paused</Trans>
        </Status>
      ) : (
        <Status value="running" />
      ),
  },
  { id: "ready", header: t`Ready`, align: "right", cell: ({ pending }) => figure(pending) },
  { id: "active", header: t`Active`, align: "right", cell: ({ active }) => figure(active) },
  {
    id: "scheduled",
    header: t`Scheduled`,
    align: "right",
    cell: ({ scheduled }) => figure(scheduled),
    secondary: true,
  },
  { id: "to_retry", header: t`To retry`, align: "right", cell: ({ retry }) => figure(retry) },
  {
    id: "failed_permanently",
    header: t`Failed permanently`,
    align: "right",
    cell: ({ archived }) => figure(archived, true),
  },
  {
    id: "oldest_wait",
    header: t`Oldest wait`,
    align: "right",
    cell: ({ latency_ms }) => (latency_ms > 0 ? showMillis(latency_ms) : <span className="dimmed">–</span>),
  },
  {
    id: "today",
    header: t`Today`,
    align: "right",
    cell: ({ processed_today, failed_today }) => todayOf(processed_today, failed_today),
    secondary: true,
  },
];

function todayOf(processed: number, failures: number): string {
  const done = showCount(processed);
  const failed = showCount(failures);
  return failures > 0 ? t`${done}, ${failed} failed` : done;
}

const nothing: Record<Queues["status"], MessageDescriptor> = {
  ok: msg`No task was queued yet`,
  failing: msg`Redis is not responding`,
  unknown: msg`This console is not connected to Redis`,
};

/** Lists the queues of background work. */
export function QueueTable({ queues }: { queues: Queues }) {
  return (
    <DataTable
      caption={t`Queues`}
      columns={queueColumns()}
      rows={queues.queues}
      rowKey={({ name }) => name}
      empty={<EmptyState icon={IconStack2} title={i18n._(nothing[queues.status])} />}
    />
  );
}

const workerColumns = (): Column<Worker>[] => [
  {
    id: "worker",
    header: t`Worker`,
    cell: ({ host, pid }) => (
      <span className="mono">
        {host}:{pid}
      </span>
    ),
  },
  {
    id: "status",
    header: t`Status`,
    cell: ({ status }) => (
      <Status value={status === "active" ? "alive" : "unknown"}>{status === "active" ? t`Active` : status}</Status>
    ),
  },
  { id: "tasks", header: t`Tasks`, align: "right", cell: ({ active }) => showCount(active) },
  { id: "started", header: t`Started`, align: "right", cell: ({ started_at }) => <Moment at={started_at} /> },
];

/** Lists the worker processes. */
export function WorkerTable({ queues }: { queues: Queues }) {
  return (
    <DataTable
      caption={t`Workers`}
      columns={workerColumns()}
      rows={queues.workers}
      rowKey={({ id }) => id}
      empty={
        <EmptyState
          icon={IconTool}
          title={queues.status === "ok" ? t`No worker is running` : i18n._(nothing[queues.status])}
        />
      }
    />
  );
}
