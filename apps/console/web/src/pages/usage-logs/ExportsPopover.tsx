import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Indicator, Popover, ScrollArea, Skeleton, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";

import { messageOf } from "@/api/problem";
import { showCount } from "@/format/number";

import { ExportLine } from "./ExportLine";
import { isLive, useExports } from "./exports";

/** Lists the recent exports, including those that were started before the page was loaded. */
export function ExportsPopover() {
  const query = useExports();
  const live = query.data?.items.filter(isLive).length ?? 0;
  const running = showCount(live);
  return (
    <Popover position="bottom-end" shadow="md" width={360} trapFocus>
      <Indicator disabled={live === 0} label={live} size={16}>
        <Popover.Target>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            aria-label={live > 0 ? t`Exports, ${running} in progress` : t`Exports`}
          >
            <Trans>Exports</Trans>
          </Button>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label={t`Exports`}>
        <Text fw={600} mb="sm">
          <Trans>Exports</Trans>
        </Text>
        <ScrollArea.Autosize mah={360} offsetScrollbars="present">
          <Stack gap="md" tabIndex={-1} data-autofocus>
            {query.data?.items.map((job) => (
              <ExportLine key={job.id} job={job} />
            ))}
            {query.data?.items.length === 0 && (
              <Text c="dimmed">
                {query.data.more ? (
                  <Trans>The latest jobs are no exports. Files are kept for seven days.</Trans>
                ) : (
                  <Trans>No exports yet. Files are kept for seven days.</Trans>
                )}
              </Text>
            )}
            {query.error && !query.data && (
              <Text c="var(--tollgate-bad)" role="alert">
                {messageOf(query.error)}
              </Text>
            )}
            {query.isPending && <Skeleton h={40} />}
          </Stack>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
