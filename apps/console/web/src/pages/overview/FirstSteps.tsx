import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Group, Stack, Text, Timeline, Title } from "@mantine/core";
import { IconKey, IconListDetails, IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { readWhole } from "@/api/whole";
import { ButtonLink } from "@/components/links";
import { Snippets } from "@/components/Snippets";
import { Moment, Status, Usd } from "@/components/values";

/** Shows the first request, and leads to its receipt. */
function FirstRequest({ log }: { log: Schema<"UsageLog"> }) {
  return (
    <>
      <Group gap="sm">
        <Text fw={500}>{log.model}</Text>
        <Status value={log.outcome} />
        <Usd amount={log.quota} />
        <Text c="dimmed">
          <Moment at={log.created_at} />
        </Text>
      </Group>
      <ButtonLink size="xs" to="/usage-logs" search={{ log: log.id }}>
        <Trans>Open its receipt</Trans>
      </ButtonLink>
    </>
  );
}

/** Guides a user who has made no calls yet to the first one, and shows it when it was made. */
export function FirstSteps() {
  const tokens = useQuery({
    queryKey: ["tokens", "any"],
    queryFn: () => ask(api.GET("/api/tokens", { params: { query: { limit: 1 } } })),
  });
  const models = useQuery({
    queryKey: ["models"],
    queryFn: () => readWhole((query) => ask(api.GET("/api/models", { params: { query } }))),
  });
  const logs = useQuery({
    queryKey: ["usage-logs", "first"],
    queryFn: () => ask(api.GET("/api/usage-logs", { params: { query: { limit: 1 } } })),
    refetchInterval: ({ state }) => (state.data?.items.length ? false : 3_000),
  });
  const first = logs.data?.items[0];
  const hasToken = (tokens.data?.items.length ?? 0) > 0;
  return (
    <Card>
      <Title order={2} mb={4}>
        <Trans>Make your first request</Trans>
      </Title>
      <Text c="dimmed" mb="lg">
        <Trans>Any OpenAI SDK works. It needs this gateway's address and a token.</Trans>
      </Text>
      <Timeline bulletSize={30} lineWidth={2} active={first ? 2 : hasToken ? 1 : 0}>
        <Timeline.Item bullet={<IconKey size={16} />} title={t`Create a token`}>
          <Stack gap="xs" align="flex-start">
            <Text c="dimmed">
              {hasToken ? (
                <Trans>You already have a token. Its value was shown when it was created.</Trans>
              ) : (
                <Trans>Its value is shown once, with code to copy.</Trans>
              )}
            </Text>
            <ButtonLink size="xs" variant={hasToken ? "default" : "filled"} to="/tokens" search={{ create: true }}>
              {hasToken ? <Trans>Create another token</Trans> : <Trans>Create token</Trans>}
            </ButtonLink>
          </Stack>
        </Timeline.Item>
        <Timeline.Item bullet={<IconTerminal2 size={16} />} title={t`Call a model`}>
          <Text c="dimmed" mb="xs">
            <Trans>Replace YOUR_TOKEN with your token.</Trans>
          </Text>
          <Snippets token="YOUR_TOKEN" model={models.data?.items[0]?.id ?? "MODEL"} />
        </Timeline.Item>
        <Timeline.Item bullet={<IconListDetails size={16} />} title={t`See what it cost`}>
          <Stack gap="xs" align="flex-start" aria-live="polite">
            {first ? (
              <FirstRequest log={first} />
            ) : (
              <Text c="dimmed">
                <Trans>Waiting for your first request. It appears here a second or two after it finishes.</Trans>
              </Text>
            )}
          </Stack>
        </Timeline.Item>
      </Timeline>
    </Card>
  );
}
