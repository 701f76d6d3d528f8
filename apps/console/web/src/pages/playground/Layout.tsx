import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Box, Drawer, Group, Text, Title } from "@mantine/core";
import { useDisclosure, useDocumentTitle } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { Action } from "./Action";
import { Columns } from "./Columns";
import { Composer } from "./Composer";
import { openCalls } from "./conversation";
import classes from "./Playground.module.css";
import { schemaFault, type Settings } from "./settings";
import { parseTools } from "./tools";
import type { Bounds } from "./useAttachments";
import { useEscape } from "./useEscape";
import type { Playground } from "./usePlayground";

interface LayoutProps {
  playground: Playground;
  /** The texts of the header: what the conversation has cost, and who pays. */
  spent: ReactNode;
  /** The actions of the header besides a new conversation. */
  actions?: ReactNode;
  notice?: ReactNode;
  /** Who is charged, above an empty conversation. */
  note: string;
  /** The reason for having no model to choose. */
  noModel: string;
  bounds: Bounds;
  settings: ReactNode;
}

/** Shows a conversation, the field for the next message, and the settings next to them or in a drawer. */
export function Layout({ playground, spent, actions, notice, note, noModel, bounds, settings }: LayoutProps) {
  const { running, columns, begin, send, stop } = playground;
  const [drawer, drawerHandlers] = useDisclosure();
  const title = t`Playground`;
  useDocumentTitle(`${title} · Tollgate`);
  useEscape(running, stop);
  const invalid = faultOf(playground.settings, noModel);
  return (
    <div className={classes["layout"]}>
      <div className={classes["talk"]}>
        <header className={classes["header"]}>
          <Group gap="md">
            <Title order={1}>{title}</Title>
            {spent}
          </Group>
          <Group gap="xs">
            <Action
              icon={IconPlus}
              label={t`New conversation`}
              onClick={() => begin()}
              disabled={running || columns.every((turns) => turns.length === 0)}
            />
            {actions}
            <Box hiddenFrom="md">
              <Action icon={IconAdjustmentsHorizontal} label={t`Settings`} onClick={drawerHandlers.open} />
            </Box>
          </Group>
        </header>
        {notice}
        <Columns playground={playground} ready={invalid === undefined} note={note} />
        <div className={classes["composer"]}>
          <Composer
            running={running}
            fault={invalid ?? waitingOf(playground)}
            bounds={bounds}
            send={send}
            stop={stop}
          />
        </div>
      </div>
      <aside className={classes["side"]} aria-label={t`Settings`}>
        <Title order={2} mb="md">
          <Trans>Settings</Trans>
        </Title>
        {settings}
      </aside>
      <Drawer opened={drawer} onClose={drawerHandlers.close} title={t`Settings`} size="sm">
        {settings}
      </Drawer>
    </div>
  );
}

interface SpentProps {
  playground: Playground;
  /** Shown before the numbers of requests and tokens. */
  before?: ReactNode;
}

/** Shows how many requests the conversation has made, and their tokens. */
export function Spent({ playground, before }: SpentProps) {
  const { calls: requests, tokens } = playground.spent;
  return (
    <Text size="sm" c="dimmed" className="tabular" aria-live="polite">
      {before}
      {plural(requests, { one: "# request", other: "# requests" })} ·{" "}
      {plural(tokens, { one: "# token", other: "# tokens" })}
    </Text>
  );
}

/** Returns the reason why the settings allow no call; undefined if they do. `noModel` is the one for having no model. */
function faultOf(settings: Settings, noModel: string): string | undefined {
  if (!settings.model) return noModel;
  if (parseTools(settings.tools).fault) return t`The functions are invalid. Check the settings.`;
  if (settings.format === "json_schema" && schemaFault(settings.schema))
    return t`The schema of the answer is invalid. Check the settings.`;
  return undefined;
}

/** Returns the reason why the next message must wait; undefined if it need not. */
const waitingOf = ({ running, columns }: Playground) =>
  !running && columns.some((turns) => openCalls(turns).length > 0)
    ? t`Enter the results of the functions first.`
    : undefined;
