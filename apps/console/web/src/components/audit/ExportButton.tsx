import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFileExport } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";

import { messageOf } from "@/api/problem";
import { saveFile } from "@/api/save";
import { showCount } from "@/format/number";

/** The number of entries in a file at most. The server leaves out older ones. */
const maxEntries = 100_000;

/** Saves the entries that `load` returns as CSV. */
export function ExportButton({ load }: { load: () => Promise<Blob> }) {
  const most = showCount(maxEntries);
  const run = useMutation({
    mutationFn: load,
    onSuccess: (file) => saveFile("audit-log.csv", file),
    onError: (error) => notifications.show({ color: "red", message: messageOf(error) }),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconFileExport size={16} />}
      loading={run.isPending}
      onClick={() => run.mutate()}
      title={t`At most the newest ${most} entries`}
    >
      <Trans>Export</Trans>
    </Button>
  );
}
