import { Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { ErrorState } from "@/components/states";
import { AnchorLink } from "@/components/links";
import { Moment } from "@/components/values";

import type { View } from "./view";

const most = 5;

/** Lists the latest failed calls within the view's time. */
export function FailuresCard({ view }: { view: View }) {
  const { from } = view.span;
  const query = useQuery({
    queryKey: ["usage-logs", "failures", from],
    queryFn: async () => (await ask(api.GET("/api/usage-logs", { params: { query: { outcome: "failed", from, limit: most } } }))).items,
    refetchInterval: 60_000,
  });
  return (
    <Card>
      <Group justify="space-between" mb="xs">
        <Title order={2}>Recent failures</Title>
        <AnchorLink to="/usage-logs" search={{ outcome: "failed" }} size="sm">All failures</AnchorLink>
      </Group>
      {query.error && !query.data ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Stack gap={8}>
          {!query.data && <Skeleton h={90} />}
          {query.data?.length === 0 && <Text c="dimmed">No call failed in this time.</Text>}
          {query.data?.map((log) => (
            <Group key={log.id} justify="space-between" wrap="nowrap" gap="sm">
              <div style={{ minWidth: 0 }}>
                <AnchorLink to="/usage-logs" search={{ outcome: "failed", log: log.id }} c="inherit" fw={500} truncate display="block" title={log.model}>{log.model}</AnchorLink>
                <Text size="xs" c="dimmed" truncate>
                  HTTP {log.status}{log.error && <> · <span className="mono">{log.error}</span></>} · {log.token_name}
                </Text>
              </div>
              <Text size="sm" c="dimmed" style={{ flex: "none" }}><Moment at={log.created_at} /></Text>
            </Group>
          ))}
        </Stack>
      )}
    </Card>
  );
}
