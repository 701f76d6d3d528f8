import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ActionIcon, Button, Drawer, Group, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconHistory, IconTrash } from "@tabler/icons-react";

import { confirm } from "@/components/confirm";
import { EmptyState } from "@/components/states";
import { showUsd } from "@/format/money";
import { showAgo } from "@/format/time";

import { type Entry, mostEntries } from "./history";
import classes from "./History.module.css";
import type { Playground } from "./usePlayground";

/** Lists the conversations that this browser keeps. */
export function HistoryDrawer({
  playground,
  opened,
  close,
}: {
  playground: Playground;
  opened: boolean;
  close: () => void;
}) {
  const { history, id, open } = playground;
  const clear = () =>
    confirm({
      title: t`Delete the history?`,
      children: t`All conversations of the playground that this browser keeps are deleted.`,
      confirm: t`Delete`,
      act: async () => history.clear(),
    });
  return (
    <Drawer opened={opened} onClose={close} title={t`History`} size="sm">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          <Trans>
            This browser keeps your last {mostEntries} conversations until you sign out. They are not sent to the
            server. Images and files are not kept.
          </Trans>
        </Text>
        {history.entries.length === 0 && <EmptyState icon={IconHistory} title={t`No conversations yet`} />}
        <ul className={classes["list"]}>
          {history.entries.map((entry) => (
            <Row
              key={entry.state.id}
              entry={entry}
              current={entry.state.id === id}
              open={() => {
                if (entry.state.id !== id) open(entry.state);
                close();
              }}
              remove={() => history.remove(entry.state.id)}
            />
          ))}
        </ul>
        {history.entries.length > 0 && (
          <Group justify="flex-end">
            <Button size="xs" variant="default" onClick={clear}>
              <Trans>Delete all</Trans>
            </Button>
          </Group>
        )}
      </Stack>
    </Drawer>
  );
}

function Row({
  entry: { title, at, state },
  current,
  open,
  remove,
}: {
  entry: Entry;
  current: boolean;
  open: () => void;
  remove: () => void;
}) {
  const shown = title || t`Untitled`;
  const models = [state.settings.model, state.settings.rival].filter(Boolean).join(", ");
  return (
    <li className={classes["row"]}>
      <UnstyledButton className={classes["open"]} onClick={open} aria-current={current || undefined}>
        <Text truncate fw={500}>
          {shown}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {showAgo(new Date(at).toISOString())} · {showUsd(state.spent.usd)} · <span className="mono">{models}</span>
        </Text>
      </UnstyledButton>
      <ActionIcon aria-label={t`Delete ${shown}`} onClick={remove}>
        <IconTrash size={15} />
      </ActionIcon>
    </li>
  );
}
