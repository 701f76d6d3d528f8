import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Schema } from "@/api/client";
import { channelStatus, type ChannelState, noHealth, statesOf, stateWord } from "@/components/channels/status";
import { AnchorLink } from "@/components/links";
import { ErrorState } from "@/components/states";
import { Moment, Status } from "@/components/values";
import { showCount } from "@/format/number";
import { type Channel, type ChannelHealth, channelsHealthQuery, channelsQuery } from "@/pages/operator/catalog/queries";

import { healthQuery } from "./health";

/** The number of waiting usage entries from which the summaries count as late. */
const behind = 1_000;

/** Shows the state of the summaries, the reconciliation and the channels in a few lines. */
export function HealthCard() {
  const health = useQuery(healthQuery);
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <Title order={2}>
          <Trans>Platform</Trans>
        </Title>
        <Anchor component={Link} to="/operator/system" size="sm">
          <Trans>System</Trans>
        </Anchor>
      </Group>
      {health.error && !health.data ? (
        <ErrorState error={health.error} retry={() => void health.refetch()} />
      ) : health.data ? (
        <Lines health={health.data} />
      ) : (
        <Skeleton h={110} />
      )}
    </Card>
  );
}

function Lines({ health }: { health: Schema<"Health"> }) {
  const { outbox_depth, reconciliation } = health;
  const depth = showCount(outbox_depth);
  const mismatches = reconciliation.drift_count;
  return (
    <Stack gap={10}>
      <Line name={t`Database`}>
        <Status value={health.database} />
      </Line>
      <Line name={t`Usage summaries`}>
        <Status value={outbox_depth >= behind ? "failing" : "ok"}>
          {outbox_depth >= behind ? <Trans>{depth} behind</Trans> : <Trans>Up to date</Trans>}
        </Status>
      </Line>
      <Line name={t`Reconciliation`}>
        {reconciliation.checked_at === null ? (
          <Status value="unknown">
            <Trans>Not checked yet</Trans>
          </Status>
        ) : (
          <Status value={mismatches > 0 ? "failing" : "ok"}>
            {mismatches > 0 ? (
              plural(mismatches, { one: "# mismatch", other: "# mismatches" })
            ) : (
              <Trans>No mismatches</Trans>
            )}
          </Status>
        )}
      </Line>
      {reconciliation.checked_at !== null && (
        <Text size="xs" c="dimmed">
          <Trans>
            Checked <Moment at={reconciliation.checked_at} />
          </Trans>
        </Text>
      )}
      <Channels />
    </Stack>
  );
}

function Channels() {
  const channels = useQuery(channelsQuery);
  const health = useQuery(channelsHealthQuery);
  const error = channels.error ?? health.error;
  if (!channels.data || !health.data)
    return <Line name={t`Channels`}>{error ? <Status value="unknown" /> : <Skeleton w={80} h={18} />}</Line>;
  const { items, more } = channels.data;
  if (items.length === 0)
    return (
      <Line name={t`Channels`}>
        <Status value="unknown">
          <Trans>None</Trans>
        </Status>
      </Line>
    );
  const states = statesOf(items, health.data);
  return (
    <Line name={t`Channels`}>
      <Stack gap={4} align="flex-end">
        {states.map(({ state, count }) => {
          const [word, some] = [stateWord(state), `${showCount(count)}${more ? "+" : ""}`];
          return (
            <AnchorLink
              key={state}
              to="/operator/channels"
              underline="never"
              title={reasonsIn(state, items, health.data)}
            >
              <Status value={state}>
                {t({
                  message: `${word}: ${some}`,
                  comment: "The status of channels and their number, such as Healthy: 3",
                })}
              </Status>
            </AnchorLink>
          );
        })}
      </Stack>
    </Line>
  );
}

/** Returns up to five channels of the state with their first reason, one line each. */
function reasonsIn(
  state: ChannelState,
  channels: readonly Channel[],
  health: ReadonlyMap<string, ChannelHealth>,
): string {
  return channels
    .map((channel) => ({
      name: channel.name,
      status: channelStatus(channel.status, health.get(channel.id) ?? noHealth),
    }))
    .filter(({ status }) => status.state === state)
    .slice(0, 5)
    .map(({ name, status }) => `${name}: ${status.reasons[0]}`)
    .join("\n");
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text>{name}</Text>
      {children}
    </Group>
  );
}
