import { Alert, Button, Group, Modal, SegmentedControl, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { messageOf } from "@/api/problem";

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
    <Modal opened={opened} onClose={close} title="Export usage logs" closeButtonProps={{ "aria-label": "Close" }}>
      {opened && <Export close={close} filters={filters} />}
    </Modal>
  );
}

const formats = [{ value: "csv", label: "CSV" }, { value: "ndjson", label: "NDJSON" }] as const;

function Export({ close, filters }: Omit<ExportDialogProps, "opened">) {
  const [format, setFormat] = useState<"csv" | "ndjson">("csv");
  const { begin } = useExportActions();
  const run = useMutation({ mutationFn: () => begin(exportOf(filters, format, Date.now())) });
  const exports_ = useExports();
  const job = run.data && (exports_.data?.find(({ id }) => id === run.data.id) ?? run.data);
  if (job) {
    return (
      <Stack aria-live="polite">
        <ExportLine job={job} />
        <Text size="sm" c="dimmed">You may close this or leave the page: the file is under Exports as soon as it is done, and for seven days.</Text>
        <Group justify="flex-end"><Button onClick={close} data-autofocus>Close</Button></Group>
      </Stack>
    );
  }
  return (
    <form onSubmit={(event) => { event.preventDefault(); run.mutate(); }}>
      <Stack>
        {run.error && <Alert color="red" role="alert">{messageOf(run.error)}</Alert>}
        <Text>{describe(filters)}</Text>
        <SegmentedControl fullWidth size="sm" aria-label="Format" data={[...formats]} value={format} onChange={(value) => setFormat(value === "ndjson" ? "ndjson" : "csv")} />
        <Text size="sm" c="dimmed">{format === "csv" ? "For spreadsheets: a line of column names, then a line for each call." : "For programs: a JSON object on each line."}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>Cancel</Button>
          <Button type="submit" loading={run.isPending}>Export</Button>
        </Group>
      </Stack>
    </form>
  );
}

function describe(filters: LogFilters): string {
  if (!isFiltered(filters)) return "All calls that you may see, newest first, up to now.";
  return filters.span ? `The calls of the ${spanNames[filters.span].toLowerCase()} that the filters show, newest first.` : "The calls that the filters show, newest first.";
}
