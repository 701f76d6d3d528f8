import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Drawer, Title } from "@mantine/core";
import { useDisclosure, useDocumentTitle } from "@mantine/hooks";
import { useMemo } from "react";

import type { Schema } from "@/api/client";

import { bytesOf } from "./attachments";
import { callModel } from "./call";
import { Columns } from "./Columns";
import { Composer } from "./Composer";
import { openCalls } from "./conversation";
import { Header } from "./Header";
import classes from "./Playground.module.css";
import { requestOf } from "./request";
import { schemaFault, type Settings } from "./settings";
import { ModelFields, SettingsPanel } from "./SettingsPanel";
import { parseTools } from "./tools";
import { type Bounds, sizeOf } from "./useAttachments";
import { useEscape } from "./useEscape";
import { settingsFor, usePlayground, type Playground } from "./usePlayground";
import { useShared } from "./useShared";

/** A model, with what it is known to read. */
type Readable = Pick<Schema<"VisibleModel">, "id" | "modalities">;
type Model = Schema<"VisibleModel">;

/** Returns the reason why the settings allow no call; undefined if they do. `none` is that of having no model. */
export function faultOf(settings: Settings, none: string): string | undefined {
  if (!settings.model) return none;
  if (parseTools(settings.tools).fault) return t`The functions are invalid. Check the settings.`;
  if (settings.format === "json_schema" && schemaFault(settings.schema))
    return t`The schema of the answer is invalid. Check the settings.`;
  return undefined;
}

/** Returns the reason why the next message must wait; undefined if it need not. */
export const waitingOf = ({ running, columns }: Playground) =>
  !running && columns.some((turns) => openCalls(turns).length > 0)
    ? t`Enter the results of the functions first.`
    : undefined;

/** Shows the conversation, the field for the next message and the settings next to them. */
export function Workbench({ userId, base, models }: { userId: string; base: string; models: Model[] }) {
  const title = t`Playground`;
  useDocumentTitle(`${title} · Tollgate`);
  const ids = models.map((model) => model.id);
  const playground = usePlayground({ key: `tollgate.playground.${userId}`, historyOf: userId, call: callModel }, ids);
  const { settings, set, running, stop, send } = playground;
  const [drawer, drawerHandlers] = useDisclosure();
  const [notice, dismiss] = useShared(playground, ids);
  useEscape(running, stop);
  const fault = faultOf(settings, t`Your group has no models yet.`);
  const waiting = waitingOf(playground);
  const panel = (
    <SettingsPanel settings={settings} set={set} responses>
      <ModelFields settings={settings} set={set} models={models} />
    </SettingsPanel>
  );
  return (
    <div className={classes["layout"]}>
      <div className={classes["talk"]}>
        <Header playground={playground} models={ids} base={base} openSettings={drawerHandlers.open} />
        {notice && (
          <Alert
            className={classes["notice"]}
            color={notice.color}
            role="status"
            withCloseButton
            closeButtonLabel={t`Close`}
            onClose={dismiss}
          >
            {notice.text}
          </Alert>
        )}
        <Columns
          playground={playground}
          ready={fault === undefined}
          note={t`Requests are charged like any other. The cost of each is shown below its answer.`}
        />
        <div className={classes["composer"]}>
          <Composer
            running={running}
            fault={fault ?? waiting}
            bounds={useBounds(playground, models)}
            send={send}
            stop={stop}
          />
        </div>
      </div>
      <aside className={classes["side"]} aria-label={t`Settings`}>
        <Title order={2} mb="md">
          <Trans>Settings</Trans>
        </Title>
        {panel}
      </aside>
      <Drawer opened={drawer} onClose={drawerHandlers.close} title={t`Settings`} size="sm">
        {panel}
      </Drawer>
    </div>
  );
}

/**
 * Returns what images and files of the next message are checked against: the models that read it, and the longer of
 * their requests.
 */
export function useBounds({ settings, columns }: Playground, models: readonly Readable[], most?: number): Bounds {
  return useMemo(() => {
    const bodies = columns.map((turns, i) => bytesOf(JSON.stringify(requestOf(settingsFor(settings, i), turns).body)));
    const body = Math.max(...bodies);
    const reads = (id: string) => models.find((model) => model.id === id)?.modalities.input;
    return {
      models: columns.map((_, i) => settingsFor(settings, i).model).map((id) => ({ id, reads: known(reads(id)) })),
      used: (attachments) => body + sizeOf(attachments),
      most,
    };
  }, [settings, columns, models, most]);
}

/** An empty list means that the modalities are not known. */
const known = (modalities: readonly string[] | undefined) => (modalities?.length ? modalities : undefined);
