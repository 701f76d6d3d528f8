import { plural } from "@lingui/core/macro";
import { Skeleton, Stack, Text } from "@mantine/core";

import { Hint } from "@/components/Hint";
import { Status } from "@/components/values";

import { type ChannelHealth, type ChannelStatus, channelStatus, noHealth } from "./status";

interface StatusOfChannelProps {
  /** The setting of the channel: "enabled" or "disabled". */
  setting: string;
  /** undefined while it loads. */
  health: ChannelHealth | undefined;
  /** Shows the first reason below the word of a channel that fails. All reasons are shown on hover. */
  reason?: boolean;
}

/** Shows the status of a channel as one word with its reasons. It is the same word on every page. */
export function StatusOfChannel({ setting, health, reason = false }: StatusOfChannelProps) {
  if (!health && setting === "enabled") return <Skeleton h={18} w={72} radius="sm" />;
  const status = channelStatus(setting, health ?? noHealth);
  return (
    <Stack gap={2} align="flex-start" component="span" display="inline-flex" miw={0} maw="100%">
      <Hint label={<Reasons status={status} />} maw={420}>
        <span>
          <Status value={status.state}>{status.word}</Status>
        </span>
      </Hint>
      {reason && (status.state === "failing" || status.state === "degraded") && (
        <Text component="span" size="xs" c="dimmed" lineClamp={2} title={status.reasons[0]}>
          {status.reasons[0]}
        </Text>
      )}
    </Stack>
  );
}

const shown = 5;

function Reasons({ status: { reasons } }: { status: ChannelStatus }) {
  const more = reasons.length - shown;
  return (
    <>
      {reasons.slice(0, shown).map((line) => (
        <div key={line}>{line}</div>
      ))}
      {more > 0 && <div>{plural(more, { one: "and # more reason", other: "and # more reasons" })}</div>}
    </>
  );
}
