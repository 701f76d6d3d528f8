import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { messageOf } from "@/api/problem";
import { SegmentedControl } from "@/components/SegmentedControl";

import { ExportLine } from "./ExportLine";
import { useExportActions, useExports } from "./exports";
import { exportOf, isFiltered, spanNames, type LogFilters } from "./filters";

interface ExportDialogProps {
  opened: boolean;
  close: () => void;
  filters: LogFilters;
}

/** Exports the logs that match the filters to a file. */
export function ExportDialog({ opened, close, filters }: ExportDialogProps) {
  return (
    <Modal opened={opened} onClose={close} title={t`Export usage logs`} closeButtonProps={{ "aria-label": t`Close` }}>
      {opened && <Export close={close} filters={filters} />}
    </Modal>
  );
}

const formats = [
  { value: "csv", label: "CSV" },
  { value: "ndjson", label: "NDJSON" },
] as const;

function Export({ close, filters }: Omit<ExportDialogProps, "opened">) {
  const [format, setFormat] = useState<"csv" | "ndjson">("csv");
  const { begin } = useExportActions();
  const run = useMutation({ mutationFn: () => begin(exportOf(filters, format, Date.now())) });
  const exports_ = useExports();
  const job = run.data && (exports_.data?.items.find(({ id }) => id === run.data.id) ?? run.data);
  if (job) {
    return (
      <Stack aria-live="polite">
        <ExportLine job={job} />
        <Text size="sm" c="dimmed">
          <Trans>
            You can close this or leave the page. The file is available under Exports when it is ready, for seven days.
          </Trans>
        </Text>
        <Group justify="flex-end">
          <Button onClick={close} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run.mutate();
      }}
    >
      <Stack>
        {run.error && (
          <Alert color="red" role="alert">
            {messageOf(run.error)}
          </Alert>
        )}
        <Text>{describe(filters)}</Text>
        <SegmentedControl
          fullWidth
          size="sm"
          aria-label={t`Format`}
          data={formats}
          value={format}
          onChange={setFormat}
        />
        <Text size="sm" c="dimmed">
          {format === "csv" ? (
            <Trans>For spreadsheets: a header line, then one line for each request.</Trans>
          ) : (
            <Trans>For programs: one JSON object on each line.</Trans>
          )}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={run.isPending}>
            <Trans>Export</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function describe(filters: LogFilters): string {
  if (!isFiltered(filters)) return t`All requests that you can see up to now, newest first.`;
  if (!filters.span) return t`The requests that match the filters, newest first.`;
  const span = spanNames[filters.span];
  return t`${span}: the requests that match the filters, newest first.`;
}
