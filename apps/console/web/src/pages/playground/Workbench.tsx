import { Button, Drawer, Group, Text, Title, VisuallyHidden } from "@mantine/core";
import { useDisclosure, useDocumentTitle } from "@mantine/hooks";
import { IconAdjustmentsHorizontal, IconCode, IconEraser } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { confirm } from "@/components/confirm";
import { plural } from "@/format/number";
import { showUsd } from "@/format/money";

import { Composer, ResultsForm } from "./Composer";
import { openCalls } from "./conversation";
import { Messages } from "./Messages";
import classes from "./Playground.module.css";
import { requestOf } from "./request";
import { schemaFault, type Settings } from "./settings";
import { SettingsPanel } from "./SettingsPanel";
import { parseTools } from "./tools";
import { toolTurn, usePlayground, userTurn, type Playground } from "./usePlayground";
import { ViewCode } from "./ViewCode";

/** Returns the reason why the settings allow no call; undefined if they do. */
function faultOf(settings: Settings): string | undefined {
  if (!settings.model) return "Your group may call no model yet.";
  if (parseTools(settings.tools).fault) return "The functions are not valid: see the settings.";
  if (settings.format === "json_schema" && schemaFault(settings.schema)) return "The schema of the answer is not valid: see the settings.";
  return undefined;
}

/** Shows the conversation, the field for the next turn and the settings next to them. */
export function Workbench({ userId, base, models }: { userId: string; base: string; models: Schema<"VisibleModel">[] }) {
  useDocumentTitle("Playground · Tollgate");
  const playground = usePlayground(
    userId,
    models.map((model) => model.id),
  );
  const [drawer, drawerHandlers] = useDisclosure();
  const fault = faultOf(playground.settings);
  const panel = <SettingsPanel settings={playground.settings} set={playground.set} models={models} />;
  return (
    <div className={classes["layout"]}>
      <div className={classes["talk"]}>
        <Header playground={playground} base={base} openSettings={drawerHandlers.open} />
        <Messages playground={playground} ready={fault === undefined} />
        <Input playground={playground} fault={fault} />
      </div>
      <aside className={classes["side"]} aria-label="Settings">
        <Title order={2} mb="md">
          Settings
        </Title>
        {panel}
      </aside>
      <Drawer opened={drawer} onClose={drawerHandlers.close} title="Settings" size="sm">
        {panel}
      </Drawer>
    </div>
  );
}

function Input({ playground, fault }: { playground: Playground; fault: string | undefined }) {
  const { turns, live, run, stop } = playground;
  const calls = openCalls(turns);
  return (
    <div className={classes["composer"]}>
      {calls.length > 0 && !live ? (
        <ResultsForm key={calls[0]?.id} calls={calls} running={false} send={(results) => run([...turns, ...results.map(({ call, text }) => toolTurn(call.id, call.name, text))])} />
      ) : (
        <Composer running={live !== undefined} fault={fault} send={(text) => run([...turns, userTurn(text)])} stop={stop} />
      )}
    </div>
  );
}

interface HeaderProps {
  playground: Playground;
  base: string;
  openSettings: () => void;
}

function Header({ playground, base, openSettings }: HeaderProps) {
  const { settings, spent, turns, live, clear } = playground;
  const [code, codeHandlers] = useDisclosure();
  const ask = () => confirm({ title: "Begin a new conversation?", children: "All turns go. The settings stay.", confirm: "Begin anew", act: async () => clear() });
  return (
    <header className={classes["header"]}>
      <Group gap="md">
        <Title order={1}>Playground</Title>
        <Text size="sm" c="dimmed" className="tabular" aria-live="polite">
          <VisuallyHidden>Spent in this conversation: </VisuallyHidden>
          <b>{showUsd(spent.usd)}</b> · {plural(spent.calls, "call")} · {plural(spent.tokens, "token")}
        </Text>
      </Group>
      <Group gap="xs">
        <Button size="xs" variant="default" leftSection={<IconEraser size={15} />} onClick={ask} disabled={turns.length === 0 || live !== undefined}>
          Clear
        </Button>
        <Button size="xs" variant="default" leftSection={<IconCode size={15} />} onClick={codeHandlers.open}>
          View code
        </Button>
        <Button size="xs" variant="default" hiddenFrom="md" leftSection={<IconAdjustmentsHorizontal size={15} />} onClick={openSettings}>
          Settings
        </Button>
      </Group>
      <ViewCode opened={code} close={codeHandlers.close} base={base} request={requestOf(settings, turns)} />
    </header>
  );
}
