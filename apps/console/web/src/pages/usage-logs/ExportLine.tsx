import { ActionIcon, Button, Group, Progress, Stack, Text, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload, IconX } from "@tabler/icons-react";

import { messageOf } from "@/api/problem";
import { Moment, Status } from "@/components/values";
import { plural, showBytes, showCount } from "@/format/number";
import { showDateTime } from "@/format/time";

import { fileOf, isLive, percentOf, useExportActions, type Job } from "./exports";

/** Describes the format and the time range of an export. */
function titleOf(job: Job): string {
  const asked = job.parameters.usage_export;
  const format = asked?.format === "ndjson" ? "NDJSON" : "CSV";
  if (!asked?.from) return `${format}, all until ${asked?.to ? showDateTime(asked.to) : "now"}`;
  return `${format}, since ${showDateTime(asked.from)}`;
}

/** Shows one export with its progress and its file. */
export function ExportLine({ job }: { job: Job }) {
  const { cancel } = useExportActions();
  const percent = percentOf(job);
  const stop = () => void cancel(job).catch((error: unknown) => notifications.show({ color: "red", message: messageOf(error) }));
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Text truncate title={job.file?.name ?? titleOf(job)}>{job.file?.name ?? titleOf(job)}</Text>
          <Text size="xs" c="dimmed">
            <Progressed job={job} /> · <Moment at={job.created_at} />
          </Text>
        </div>
        {isLive(job) && (
          <Tooltip label="Cancel">
            <ActionIcon aria-label="Cancel the export" onClick={stop}><IconX size={16} /></ActionIcon>
          </Tooltip>
        )}
        {job.file && (
          <Button component="a" href={fileOf(job)} download={job.file.name} size="xs" variant="light" leftSection={<IconDownload size={14} />} style={{ flex: "none" }}>
            Download
          </Button>
        )}
        {!isLive(job) && !job.file && <Status value={job.status} />}
      </Group>
      {isLive(job) && <Progress value={percent ?? 100} animated={percent === undefined} striped={percent === undefined} size={5} aria-label="Progress of the export" />}
      {job.error && <Text size="xs" c="var(--tollgate-bad)">{job.error.message}</Text>}
    </Stack>
  );
}

function Progressed({ job }: { job: Job }) {
  if (job.status === "queued") return "Waiting for its turn";
  if (job.file) return `${plural(job.progress.done, "log")}, ${showBytes(job.file.size)}`;
  const { done, total } = job.progress;
  return total === null ? plural(done, "log") : `${showCount(done)} of about ${plural(total, "log")}`;
}
