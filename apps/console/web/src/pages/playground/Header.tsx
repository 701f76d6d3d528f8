import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Box, Group, Text, Title, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import {
  IconAdjustmentsHorizontal,
  IconCode,
  IconColumns2,
  IconHistory,
  IconPlus,
  IconShare2,
} from "@tabler/icons-react";

import { showUsd } from "@/format/money";

import { Action } from "./Action";
import { HistoryDrawer } from "./HistoryDrawer";
import classes from "./Playground.module.css";
import { ShareLink } from "./ShareLink";
import type { Playground } from "./usePlayground";
import { ViewCode } from "./ViewCode";

interface HeaderProps {
  playground: Playground;
  /** The ids of all models. */
  models: readonly string[];
  base: string;
  openSettings: () => void;
}

/** Shows what the conversation has cost, and the actions on it. */
export function Header({ playground, models, base, openSettings }: HeaderProps) {
  const { settings, spent, columns, running, begin, set, history } = playground;
  const { calls: requests, tokens } = spent;
  const [code, codeHandlers] = useDisclosure();
  const [share, shareHandlers] = useDisclosure();
  const [kept, keptHandlers] = useDisclosure();
  const rival = models.find((model) => model !== settings.model);
  return (
    <header className={classes["header"]}>
      <Group gap="md">
        <Title order={1}>
          <Trans>Playground</Trans>
        </Title>
        <Text size="sm" c="dimmed" className="tabular" aria-live="polite">
          <VisuallyHidden>
            <Trans>Spent in this conversation:</Trans>{" "}
          </VisuallyHidden>
          <b>{showUsd(spent.usd)}</b> · {plural(requests, { one: "# request", other: "# requests" })} ·{" "}
          {plural(tokens, { one: "# token", other: "# tokens" })}
        </Text>
      </Group>
      <Group gap="xs">
        <Action
          icon={IconPlus}
          label={t`New conversation`}
          onClick={() => begin()}
          disabled={running || columns.every((turns) => turns.length === 0)}
        />
        <Action
          icon={IconHistory}
          label={t`History`}
          onClick={() => {
            history.read();
            keptHandlers.open();
          }}
          disabled={running}
        />
        {!settings.rival && rival !== undefined && (
          <Action icon={IconColumns2} label={t`Compare`} onClick={() => set({ rival })} disabled={running} />
        )}
        <Action icon={IconCode} label={t`View code`} onClick={codeHandlers.open} />
        <Action icon={IconShare2} label={t({ message: "Share", context: "verb" })} onClick={shareHandlers.open} />
        <Box hiddenFrom="md">
          <Action icon={IconAdjustmentsHorizontal} label={t`Settings`} onClick={openSettings} />
        </Box>
      </Group>
      <ViewCode opened={code} close={codeHandlers.close} base={base} state={playground} />
      <ShareLink opened={share} close={shareHandlers.close} settings={settings} />
      <HistoryDrawer opened={kept} close={keptHandlers.close} playground={playground} />
    </header>
  );
}
