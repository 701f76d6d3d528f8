import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ActionIcon, Button, Group, Progress, Stack, Text, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload, IconX } from "@tabler/icons-react";

import { useShownJob } from "@/api/jobs";
import { messageOf } from "@/api/problem";
import { Moment, Status, statusWord } from "@/components/values";
import { showBytes, showCount } from "@/format/number";
import { showDateTime } from "@/format/time";

import { fileOf, isLive, percentOf, useExportActions, type Job } from "./exports";

/** Describes the format and the time range of an export. */
function titleOf(job: Job): string {
  const asked = job.parameters.usage_export;
  const format = asked?.format === "ndjson" ? "NDJSON" : "CSV";
  const from = asked?.from && showDateTime(asked.from);
  const to = asked?.to && showDateTime(asked.to);
  if (from) return to ? t`${format}, from ${from} until ${to}` : t`${format}, since ${from}`;
  return to ? t`${format}, all until ${to}` : t`${format}, all until now`;
}

/** Shows one export with its progress and its file. */
export function ExportLine({ job }: { job: Job }) {
  useShownJob(job.id);
  const { cancel } = useExportActions();
  const percent = percentOf(job);
  const stop = () =>
    void cancel(job).catch((error: unknown) => notifications.show({ color: "red", message: messageOf(error) }));
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Text truncate title={job.file?.name ?? titleOf(job)}>
            {job.file?.name ?? titleOf(job)}
          </Text>
          <Text size="xs" c="dimmed">
            <Progressed job={job} /> · <Moment at={job.created_at} />
          </Text>
        </div>
        {isLive(job) && (
          <Tooltip label={t`Cancel`}>
            <ActionIcon aria-label={t`Cancel the export`} onClick={stop}>
              <IconX size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        {job.file && (
          <Button
            component="a"
            href={fileOf(job)}
            download={job.file.name}
            size="xs"
            variant="light"
            leftSection={<IconDownload size={14} />}
            style={{ flex: "none" }}
          >
            <Trans>Download</Trans>
          </Button>
        )}
        {!isLive(job) && !job.file && <Status value={job.status} />}
      </Group>
      {isLive(job) && (
        <Progress
          value={percent ?? 100}
          animated={percent === undefined}
          striped={percent === undefined}
          size={5}
          aria-label={t`Progress of the export`}
        />
      )}
      {job.error && (
        <Text size="xs" c="var(--tollgate-bad)">
          {job.error.message}
        </Text>
      )}
    </Stack>
  );
}

function Progressed({ job }: { job: Job }) {
  if (job.status === "queued") return statusWord(job.status);
  const { done, total } = job.progress;
  if (job.file) {
    const size = showBytes(job.file.size);
    return t`${plural(done, { one: "# log", other: "# logs" })}, ${size}`;
  }
  if (total === null) return plural(done, { one: "# log", other: "# logs" });
  const some = showCount(done);
  return t`${some} of about ${plural(total, { one: "# log", other: "# logs" })}`;
}
