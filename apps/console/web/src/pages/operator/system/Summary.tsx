import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Group, List, Text, ThemeIcon, Title } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";

import type { Trouble } from "./state";

/** Shows the problems of the platform, or that there are none. */
export function Summary({ troubles }: { troubles: Trouble[] }) {
  const severe = troubles.some((trouble) => trouble.severe);
  const color = troubles.length === 0 ? "green" : severe ? "red" : "yellow";
  const title =
    troubles.length === 0 ? t`Everything works` : severe ? t`Something is wrong` : t`Something needs attention`;
  return (
    <Card role="status" aria-live="polite">
      <Group align="flex-start" wrap="nowrap" gap="md">
        <ThemeIcon variant="light" color={color} size={40} radius="xl">
          {troubles.length === 0 ? <IconCheck size={22} aria-hidden /> : <IconAlertTriangle size={22} aria-hidden />}
        </ThemeIcon>
        <div>
          <Title order={2}>{title}</Title>
          {troubles.length === 0 ? (
            <Text c="dimmed">
              <Trans>The database, relays and workers are online. Usage, balances and the ledger agree.</Trans>
            </Text>
          ) : (
            <List spacing={4} mt={4}>
              {troubles.map(({ text }) => (
                <List.Item key={text}>{text}</List.Item>
              ))}
            </List>
          )}
        </div>
      </Group>
    </Card>
  );
}
