import { Badge, Group, Skeleton, Text, Tooltip } from "@mantine/core";

import { Status } from "@/components/values";
import { showMillis } from "@/format/number";
import type { Channel, ChannelHealth } from "@/pages/operator/catalog/queries";

import { errorShare, percentile, reasonsOf, showPercent, verdictOf } from "./health";

const labels = { healthy: "Healthy", cooling: "Degraded", failing: "Failing", disabled: "Disabled" };

/** Shows the health of a channel as one word, with the reasons on hover. */
export function Verdict({ channel, health }: { channel: Channel; health: ChannelHealth | undefined }) {
  if (channel.status !== "enabled") return <Status value="disabled" />;
  if (!health) return <Skeleton h={18} w={72} radius="sm" />;
  const verdict = verdictOf(channel.status, health);
  const reasons = reasonsOf(health);
  return (
    <Tooltip disabled={reasons.length === 0} label={<Reasons reasons={reasons} />}>
      <span>
        <Status value={verdict}>{labels[verdict]}</Status>
      </span>
    </Tooltip>
  );
}

function Reasons({ reasons }: { reasons: string[] }) {
  const shown = reasons.slice(0, 5);
  return (
    <>
      {shown.map((reason) => (
        <div key={reason}>{reason}</div>
      ))}
      {reasons.length > shown.length && <div>and {reasons.length - shown.length} more</div>}
    </>
  );
}

/** Shows the percentage of the channel's calls that failed. */
export function Errors({ requests, failed }: { requests: number; failed: number }) {
  const share = errorShare(requests, failed);
  if (share === undefined) return <Text component="span" c="dimmed" inherit>No calls</Text>;
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
  if (middle === undefined || slow === undefined) return <Text component="span" c="dimmed" inherit>–</Text>;
  return (
    <Tooltip label={`Half of its latest ${times?.length} calls began sooner; 95% within ${showMillis(slow)}`}>
      <span className="tabular">{showMillis(middle)}</span>
    </Tooltip>
  );
}

/** Shows how many credentials a channel has, how many are disabled and how many have an open circuit breaker. */
export function Credentials({ channel, health }: { channel: Channel; health: ChannelHealth | undefined }) {
  const all = channel.api_key_masks.length;
  if (all === 0) return <Text component="span" c="dimmed" inherit>None</Text>;
  if (!health) return <span className="tabular">{all}</span>;
  const resting = new Set(health.relays.filter((relay) => relay.fingerprint).map((relay) => relay.fingerprint));
  const disabled = health.credentials.filter((credential) => credential.status !== "enabled").length;
  return (
    <Group component="span" gap={6} wrap="nowrap" display="inline-flex">
      <span className="tabular">{all}</span>
      {disabled > 0 && <Badge color="red">{disabled} disabled</Badge>}
      {resting.size > 0 && <Badge color="yellow">{resting.size} resting</Badge>}
    </Group>
  );
}
