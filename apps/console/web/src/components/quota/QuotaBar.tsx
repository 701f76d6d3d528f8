import { t } from "@lingui/core/macro";
import { Progress } from "@mantine/core";

import { showUsd } from "@/format/money";

import { divide, toneOf, type Dividable } from "./share";

const colors = { calm: "iris", low: "yellow", out: "red" };

/** Shows the used and leased parts of the granted quota as one bar; nothing for an unlimited quota. */
export function QuotaBar({ quota, label, size = 8 }: { quota: Dividable; label: string; size?: number }) {
  const division = divide(quota);
  if (!division) return null;
  const [used, reserved, granted] = [showUsd(division.used), showUsd(division.leased), showUsd(division.granted)];
  const text = t`${label}: ${used} used and ${reserved} reserved of ${granted}`;
  return (
    <Progress.Root size={size} role="img" aria-label={text}>
      <Progress.Section value={division.usedShare} color={colors[toneOf(division)]} withAria={false} />
      <Progress.Section value={division.leasedShare} color="gray.5" withAria={false} />
    </Progress.Root>
  );
}
