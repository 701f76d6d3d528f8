import { Trans } from "@lingui/react/macro";
import { Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";

import { ErrorState } from "@/components/states";
import { AnchorLink } from "@/components/links";
import { Moment } from "@/components/values";

import { logsOf, type PartProps } from "./view";

/** Lists the latest failed calls within the view's time. */
export function FailuresCard({ view, usage }: Omit<PartProps, "set">) {
  const failures = usage.data?.failures;
  const all = logsOf(view, { outcome: "failed" });
  return (
    <Card>
      <Group justify="space-between" mb="xs">
        <Title order={2}>
          <Trans>Recent failures</Trans>
        </Title>
        <AnchorLink to="/usage-logs" search={all} size="sm">
          <Trans>All failures</Trans>
        </AnchorLink>
      </Group>
      {usage.error && !failures ? (
        <ErrorState error={usage.error} retry={usage.retry} />
      ) : (
        <Stack gap={8}>
          {!failures && <Skeleton h={90} />}
          {failures?.length === 0 && (
            <Text c="dimmed">
              <Trans>No requests failed in this period.</Trans>
            </Text>
          )}
          {failures?.map((log) => (
            <Group key={log.id} justify="space-between" wrap="nowrap" gap="sm">
              <div style={{ minWidth: 0 }}>
                <AnchorLink
                  to="/usage-logs"
                  search={{ ...all, log: log.id }}
                  c="inherit"
                  fw={500}
                  truncate
                  display="block"
                  title={log.model}
                >
                  {log.model}
                </AnchorLink>
                <Text size="xs" c="dimmed" truncate>
                  HTTP {log.status}
                  {log.error && (
                    <>
                      {" "}
                      · <span className="mono">{log.error}</span>
                    </>
                  )}{" "}
                  · {log.token_name}
                </Text>
              </div>
              <Text size="sm" c="dimmed" style={{ flex: "none" }}>
                <Moment at={log.created_at} />
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Card>
  );
}
