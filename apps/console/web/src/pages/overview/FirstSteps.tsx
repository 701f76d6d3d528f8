import { Card, Stack, Text, Timeline, Title } from "@mantine/core";
import { IconKey, IconListDetails, IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { ButtonLink } from "@/components/links";
import { Snippets } from "@/components/Snippets";

/** Guides a user who has made no calls yet to the first one. */
export function FirstSteps() {
  const tokens = useQuery({ queryKey: ["tokens", "any"], queryFn: () => ask(api.GET("/api/tokens", { params: { query: { limit: 1 } } })) });
  const models = useQuery({ queryKey: ["models"], queryFn: () => ask(api.GET("/api/models")) });
  const hasToken = (tokens.data?.items.length ?? 0) > 0;
  return (
    <Card>
      <Title order={2} mb={4}>Make the first call</Title>
      <Text c="dimmed" mb="lg">Any OpenAI SDK works: it needs this gateway&apos;s address and a token.</Text>
      <Timeline bulletSize={30} lineWidth={2} active={hasToken ? 1 : 0}>
        <Timeline.Item bullet={<IconKey size={16} />} title="Create a token">
          <Stack gap="xs" align="flex-start">
            <Text c="dimmed">{hasToken ? "You have one already. Its value was shown when it was created." : "Its value is shown once, with code to copy."}</Text>
            <ButtonLink size="xs" variant={hasToken ? "default" : "filled"} to="/tokens" search={{ create: true }}>{hasToken ? "Create another token" : "Create token"}</ButtonLink>
          </Stack>
        </Timeline.Item>
        <Timeline.Item bullet={<IconTerminal2 size={16} />} title="Call a model">
          <Text c="dimmed" mb="xs">Put your token in place of YOUR_TOKEN.</Text>
          <Snippets token="YOUR_TOKEN" model={models.data?.items[0]?.id ?? "MODEL"} />
        </Timeline.Item>
        <Timeline.Item bullet={<IconListDetails size={16} />} title="See what it cost">
          <Stack gap="xs" align="flex-start">
            <Text c="dimmed">The call is in the usage logs within a second or two, with its receipt.</Text>
            <ButtonLink size="xs" variant="default" to="/usage-logs" search={{ live: true }}>Watch the usage logs</ButtonLink>
          </Stack>
        </Timeline.Item>
      </Timeline>
    </Card>
  );
}
