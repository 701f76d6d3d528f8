import { Group, Stack, Text, Tooltip } from "@mantine/core";

import type { Schema } from "@/api/client";
import { shortUsd, showUsd } from "@/format/money";

import { QuotaBar } from "./QuotaBar";

/** Shows the rest of a quota in figures above a bar, in the width of a table cell. */
export function QuotaUse({ quota, label }: { quota: Schema<"Quota">; label: string }) {
  const { granted, used, left } = quota;
  if (granted === null || left === null) {
    return (
      <Text component="span" inherit className="tabular" style={{ whiteSpace: "nowrap" }}>
        {shortUsd(used)}{" "}
        <Text component="span" inherit c="dimmed">
          used, unlimited
        </Text>
      </Text>
    );
  }
  return (
    <Tooltip label={`${showUsd(used)} used of ${showUsd(granted)}; ${showUsd(left)} left`}>
      <Stack gap={4} miw={150} maw={220} w="100%">
        <Group gap={8} justify="space-between" wrap="nowrap" className="tabular" style={{ whiteSpace: "nowrap" }}>
          <Text component="span" inherit>{shortUsd(left)} left</Text>
          <Text component="span" size="xs" c="dimmed">of {shortUsd(granted)}</Text>
        </Group>
        <QuotaBar quota={quota} label={label} size={4} />
      </Stack>
    </Tooltip>
  );
}
