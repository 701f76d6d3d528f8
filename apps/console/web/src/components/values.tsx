import { Badge, Box, Text, Tooltip, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { shortUsd, showUsd } from "@/format/money";
import { showAgo, showClock, showDateTime } from "@/format/time";

/** Shows an amount of USD. `short` rounds it and shows the exact amount on hover. null means unlimited. */
export function Usd({ amount, short }: { amount: string | null | undefined; short?: boolean }) {
  if (amount === null || amount === undefined) return <Text component="span" c="dimmed" inherit>Unlimited</Text>;
  if (!short) return <span className="tabular">{showUsd(amount)}</span>;
  return (
    <Tooltip label={showUsd(amount)} disabled={shortUsd(amount) === showUsd(amount)}>
      <span className="tabular">{shortUsd(amount)}</span>
    </Tooltip>
  );
}

/** Shows how long ago a moment was, with the exact time on hover. `clock` shows the exact time at once. */
export function Moment({ at, clock, none = "Never" }: { at: string | null | undefined; clock?: boolean; none?: string }) {
  if (!at) return <Text component="span" c="dimmed" inherit>{none}</Text>;
  return (
    <Tooltip label={showDateTime(at)}>
      <time dateTime={at} className="tabular" style={{ whiteSpace: "nowrap" }}>
        {clock ? showClock(at) : showAgo(at)}
      </time>
    </Tooltip>
  );
}

const tones: Record<string, string> = {
  enabled: "green", success: "green", succeeded: "green", ok: "green", current: "green", healthy: "green", alive: "green",
  disabled: "gray", revoked: "gray", past: "gray", cancelled: "gray", withdrawn: "gray", expired: "gray", unknown: "gray",
  partial: "yellow", scheduled: "blue", queued: "blue", running: "blue", pending: "blue", cooling: "yellow",
  failed: "red", failing: "red", open: "red", unhealthy: "red",
};

/** Shows a status in its color. */
export function Status({ value, children }: { value: string; children?: ReactNode }) {
  return (
    <Badge color={tones[value] ?? "gray"} leftSection={<Dot />} miw="max-content">
      {children ?? value.charAt(0).toUpperCase() + value.slice(1).replaceAll("_", " ")}
    </Badge>
  );
}

function Dot() {
  return <Box component="span" w={6} h={6} bdrs="50%" bg="currentColor" display="inline-block" aria-hidden />;
}

/** Shows a short technical value in monospace. A click copies it. */
export function Copyable({ value, label, children }: { value: string; label: string; children?: ReactNode }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <Tooltip label={clipboard.copied ? "Copied" : `Copy ${label}`}>
      <UnstyledButton onClick={() => clipboard.copy(value)} className="mono" style={{ display: "inline-flex", alignItems: "center", gap: 6, maxWidth: "100%", fontSize: "inherit" }}>
        <VisuallyHidden>Copy {label}</VisuallyHidden>
        <Text component="span" inherit truncate>
          {children ?? value}
        </Text>
        {clipboard.copied ? <IconCheck size={13} style={{ flex: "none" }} aria-hidden /> : <IconCopy size={13} opacity={0.55} style={{ flex: "none" }} aria-hidden />}
      </UnstyledButton>
    </Tooltip>
  );
}
