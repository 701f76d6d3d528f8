import { Button, Indicator, Popover, ScrollArea, Skeleton, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { messageOf } from "@/api/problem";

import { ExportLine } from "./ExportLine";
import { isLive, useExports } from "./exports";

/** Lists the recent exports, including those that were started before the page was loaded. */
export function ExportsPopover() {
  const query = useExports();
  const live = query.data?.filter(isLive).length ?? 0;
  return (
    <Popover position="bottom-end" shadow="md" width={360} trapFocus>
      <Indicator disabled={live === 0} label={live} size={16}>
        <Popover.Target>
          <Button variant="default" leftSection={<IconDownload size={16} />} aria-label={live > 0 ? `Exports, ${live} on the way` : "Exports"}>
            Exports
          </Button>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label="Exports">
        <Text fw={600} mb="sm">Exports</Text>
        <ScrollArea.Autosize mah={360} offsetScrollbars="present">
          <Stack gap="md" tabIndex={-1} data-autofocus>
            {query.data?.map((job) => <ExportLine key={job.id} job={job} />)}
            {query.data?.length === 0 && <Text c="dimmed">No exports yet. Files are kept for seven days.</Text>}
            {query.error && !query.data && <Text c="var(--tollgate-bad)" role="alert">{messageOf(query.error)}</Text>}
            {query.isPending && <Skeleton h={40} />}
          </Stack>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
