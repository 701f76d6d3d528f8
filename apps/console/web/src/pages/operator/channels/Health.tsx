import { plural } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Group, Text, Tooltip } from "@mantine/core";

import { showMillis } from "@/format/number";
import type { Channel, ChannelHealth } from "@/pages/operator/catalog/queries";

import { errorShare, percentile, showPercent } from "./health";

/** Shows the percentage of the channel's calls that failed. */
export function Errors({ requests, failed }: { requests: number; failed: number }) {
  const share = errorShare(requests, failed);
  if (share === undefined)
    return (
      <span className="dimmed">
        <Trans>No calls</Trans>
      </span>
    );
  const color = share >= 5 ? "var(--tollgate-bad)" : share >= 1 ? "var(--tollgate-warn)" : undefined;
  return (
    <Text component="span" inherit c={color} className="tabular">
      {showPercent(share)}
    </Text>
  );
}

/** Shows the median of first-byte times, with the 95th percentile on hover. */
export function FirstByte({ times }: { times: number[] | undefined }) {
  const middle = percentile(times ?? [], 50);
  const slow = percentile(times ?? [], 95);
  if (!times || middle === undefined || slow === undefined) return <span className="dimmed">–</span>;
  const longest = showMillis(slow);
  const calls = times.length;
  return (
    <Tooltip
      label={plural(calls, {
        one: `The median of the latest call. 95% within ${longest}`,
        other: `The median of the latest # calls. 95% within ${longest}`,
      })}
    >
      <span className="tabular">{showMillis(middle)}</span>
    </Tooltip>
  );
}

/** Shows how many credentials a channel has, how many are disabled and how many have an open circuit breaker. */
export function Credentials({ channel, health }: { channel: Channel; health: ChannelHealth | undefined }) {
  const all = channel.api_key_masks.length;
  if (all === 0)
    return (
      <span className="dimmed">
        <Trans>None</Trans>
      </span>
    );
  if (!health) return <span className="tabular">{all}</span>;
  const cooling = new Set(health.relays.filter((relay) => relay.fingerprint).map((relay) => relay.fingerprint)).size;
  const disabled = health.credentials.filter((credential) => credential.status !== "enabled").length;
  return (
    <Group component="span" gap={6} wrap="nowrap" display="inline-flex">
      <span className="tabular">{all}</span>
      {disabled > 0 && <Badge color="red">{plural(disabled, { one: "# disabled", other: "# disabled" })}</Badge>}
      {cooling > 0 && <Badge color="yellow">{plural(cooling, { one: "# cooling", other: "# cooling" })}</Badge>}
    </Group>
  );
}
