import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Text, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { shortUsd, showUsd } from "@/format/money";
import { showAgo, showClock, showDateTime } from "@/format/time";

import classes from "./values.module.css";

/** Shows an amount of USD. `short` rounds it and shows the exact amount on hover. null means unlimited. */
export function Usd({ amount, short }: { amount: string | null | undefined; short?: boolean }) {
  if (amount === null || amount === undefined)
    return (
      <span className="dimmed">
        <Trans>Unlimited</Trans>
      </span>
    );
  if (!short) return <span className="tabular">{showUsd(amount)}</span>;
  return (
    <span className="tabular" title={shortUsd(amount) === showUsd(amount) ? undefined : showUsd(amount)}>
      {shortUsd(amount)}
    </span>
  );
}

/** Shows how long ago a moment was, with the exact time on hover. `clock` shows the exact time at once. */
export function Moment({ at, clock, none }: { at: string | null | undefined; clock?: boolean; none?: string }) {
  if (!at) return <span className="dimmed">{none ?? <Trans>Never</Trans>}</span>;
  return (
    <time dateTime={at} title={showDateTime(at)} className="tabular" style={{ whiteSpace: "nowrap" }}>
      {clock ? showClock(at) : showAgo(at)}
    </time>
  );
}

const tones: Record<string, string> = {
  enabled: "green",
  success: "green",
  succeeded: "green",
  ok: "green",
  current: "green",
  healthy: "green",
  alive: "green",
  disabled: "gray",
  revoked: "gray",
  past: "gray",
  cancelled: "gray",
  withdrawn: "gray",
  expired: "gray",
  unknown: "gray",
  partial: "yellow",
  scheduled: "blue",
  queued: "blue",
  running: "blue",
  pending: "blue",
  cooling: "yellow",
  degraded: "yellow",
  matches: "green",
  differs: "yellow",
  failed: "red",
  failing: "red",
  open: "red",
  unhealthy: "red",
};

const words: Record<string, MessageDescriptor> = {
  active: msg`Active`,
  alive: msg`Online`,
  cancelled: msg`Canceled`,
  closed: msg`Closed`,
  cooling: msg`Cooling down`,
  current: msg`Current`,
  differs: msg`Differs`,
  disabled: msg`Disabled`,
  enabled: msg`Enabled`,
  expired: msg`Expired`,
  failed: msg`Failed`,
  failing: msg`Failing`,
  healthy: msg`Healthy`,
  matches: msg`Matches`,
  ok: msg`OK`,
  open: msg`Open`,
  partial: msg`Partial`,
  past: msg`Past`,
  pending: msg`Pending`,
  queued: msg`Queued`,
  revoked: msg`Revoked`,
  running: msg`Running`,
  scheduled: msg`Scheduled`,
  succeeded: msg`Succeeded`,
  success: msg`Success`,
  unhealthy: msg`Unhealthy`,
  unknown: msg`Unknown`,
  withdrawn: msg`Withdrawn`,
};

/** Returns the word for a status of the API. A status that is new to this console is shown as the API names it. */
export function statusWord(value: string): string {
  const word = Object.hasOwn(words, value) ? words[value] : undefined;
  return word ? i18n._(word) : value.charAt(0).toUpperCase() + value.slice(1).replaceAll("_", " ");
}

/** Shows a status in its color. It looks like a Badge, which takes much longer to draw: lists have one in each row. */
export function Status({ value, children }: { value: string; children?: ReactNode }) {
  return (
    <span className={`${Badge.classes.root} ${classes["status"]}`} data-tone={tones[value] ?? "gray"}>
      <span className={classes["dot"]} aria-hidden />
      <span className={Badge.classes.label}>{children ?? statusWord(value)}</span>
    </span>
  );
}

/** Shows a short technical value in monospace. A click copies it. */
export function Copyable({ value, label, children }: { value: string; label: string; children?: ReactNode }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <UnstyledButton
      onClick={() => clipboard.copy(value)}
      title={clipboard.copied ? t`Copied` : t`Copy ${label}`}
      className="mono"
      style={{ display: "inline-flex", alignItems: "center", gap: 6, maxWidth: "100%", fontSize: "inherit" }}
    >
      <VisuallyHidden>
        <Trans>Copy {label}</Trans>
      </VisuallyHidden>
      <Text component="span" inherit truncate>
        {children ?? value}
      </Text>
      {clipboard.copied ? (
        <IconCheck size={13} style={{ flex: "none" }} aria-hidden />
      ) : (
        <IconCopy size={13} opacity={0.55} style={{ flex: "none" }} aria-hidden />
      )}
    </UnstyledButton>
  );
}
