import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Group, Stack, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { Hint } from "@/components/Hint";
import { shortUsd, showUsd } from "@/format/money";

import { QuotaBar } from "./QuotaBar";

/** Shows the rest of a quota in figures above a bar, in the width of a table cell. */
export function QuotaUse({ quota, label }: { quota: Schema<"Quota">; label: string }) {
  const { granted, used, left } = quota;
  const spent = shortUsd(used);
  if (granted === null || left === null) {
    return (
      <Text component="span" inherit className="tabular" style={{ whiteSpace: "nowrap" }}>
        <Trans>
          {spent} <span className="dimmed">used, unlimited</span>
        </Trans>
      </Text>
    );
  }
  const [exactUsed, exactGranted, exactLeft] = [showUsd(used), showUsd(granted), showUsd(left)];
  const [rest, whole] = [shortUsd(left), shortUsd(granted)];
  return (
    <Hint label={t`${exactUsed} used of ${exactGranted}; ${exactLeft} left`}>
      <Stack gap={4} miw={150} maw={220} w="100%">
        <Group gap={8} justify="space-between" wrap="nowrap" className="tabular" style={{ whiteSpace: "nowrap" }}>
          <Text component="span" inherit>
            <Trans>{rest} left</Trans>
          </Text>
          <Text component="span" size="xs" c="dimmed">
            <Trans>of {whole}</Trans>
          </Text>
        </Group>
        <QuotaBar quota={quota} label={label} size={4} />
      </Stack>
    </Hint>
  );
}
