import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Box, Group, Text, Title } from "@mantine/core";
import { IconAdjustmentsHorizontal, IconPlus } from "@tabler/icons-react";

import { Action } from "@/pages/playground/Action";
import classes from "@/pages/playground/Playground.module.css";
import type { Playground } from "@/pages/playground/usePlayground";

/** Shows how many calls the conversation has had, who is charged for them, and the actions on it. */
export function OperatorHeader({ playground, openSettings }: { playground: Playground; openSettings: () => void }) {
  const { spent, columns, running, begin } = playground;
  const { calls: requests, tokens } = spent;
  return (
    <header className={classes["header"]}>
      <Group gap="md">
        <Title order={1}>
          <Trans>Playground</Trans>
        </Title>
        <Text size="sm" c="dimmed" className="tabular" aria-live="polite">
          {plural(requests, { one: "# request", other: "# requests" })} ·{" "}
          {plural(tokens, { one: "# token", other: "# tokens" })}
        </Text>
        <Text size="sm" c="dimmed">
          <Trans>Not billed to a tenant. Your provider charges for it.</Trans>
        </Text>
      </Group>
      <Group gap="xs">
        <Action
          icon={IconPlus}
          label={t`New conversation`}
          onClick={() => begin()}
          disabled={running || columns.every((turns) => turns.length === 0)}
        />
        <Box hiddenFrom="md">
          <Action icon={IconAdjustmentsHorizontal} label={t`Settings`} onClick={openSettings} />
        </Box>
      </Group>
    </header>
  );
}
