import { Anchor, Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, ask, type Schema } from "@/api/client";
import { ErrorState } from "@/components/states";
import { Moment, Status } from "@/components/values";
import { plural, showCount } from "@/format/number";

/** The number of waiting usage entries from which the summaries count as late. */
const behind = 1_000;

/** Shows the state of the summaries, the reconciliation and the channels in a few lines. */
export function HealthCard() {
  const health = useQuery({ queryKey: ["health"], queryFn: () => ask(api.GET("/api/operator/health")), refetchInterval: 15_000 });
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <Title order={2}>Platform</Title>
        <Anchor component={Link} to="/operator/system" size="sm">System</Anchor>
      </Group>
      {health.error && !health.data ? <ErrorState error={health.error} retry={() => void health.refetch()} /> : health.data ? <Lines health={health.data} /> : <Skeleton h={110} />}
    </Card>
  );
}

function Lines({ health }: { health: Schema<"Health"> }) {
  const { outbox_depth, reconciliation } = health;
  return (
    <Stack gap={10}>
      <Line name="Database"><Status value={health.database} /></Line>
      <Line name="Summaries">
        <Status value={outbox_depth >= behind ? "failing" : "ok"}>{outbox_depth >= behind ? `${showCount(outbox_depth)} behind` : "Up to date"}</Status>
      </Line>
      <Line name="Books">
        {reconciliation.checked_at === null ? <Status value="unknown">Not compared yet</Status> : <Status value={reconciliation.drift_count > 0 ? "failing" : "ok"}>{reconciliation.drift_count > 0 ? plural(reconciliation.drift_count, "difference") : "In agreement"}</Status>}
      </Line>
      {reconciliation.checked_at !== null && <Text size="xs" c="dimmed">Compared <Moment at={reconciliation.checked_at} /></Text>}
      <Channels />
    </Stack>
  );
}

function Channels() {
  const query = useQuery({ queryKey: ["channels", "overview"], queryFn: () => ask(api.GET("/api/operator/channels", { params: { query: { limit: 200 } } })), staleTime: 60_000 });
  if (!query.data) return <Line name="Channels">{query.error ? <Status value="unknown" /> : <Skeleton w={80} h={18} />}</Line>;
  const enabled = query.data.items.filter((channel) => channel.status === "enabled").length;
  const more = query.data.next ? "+" : "";
  return (
    <Line name="Channels">
      <Status value={enabled === 0 ? "failing" : "ok"}>{`${enabled}${more} of ${query.data.items.length}${more} enabled`}</Status>
    </Line>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text>{name}</Text>
      {children}
    </Group>
  );
}
