import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Drawer, Select, Title } from "@mantine/core";
import { useDisclosure, useDocumentTitle } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

import { AnchorLink } from "@/components/links";
import type { Channel, Model } from "@/pages/operator/catalog/queries";
import { Columns } from "@/pages/playground/Columns";
import { Composer } from "@/pages/playground/Composer";
import classes from "@/pages/playground/Playground.module.css";
import type { Settings } from "@/pages/playground/settings";
import { SettingsPanel } from "@/pages/playground/SettingsPanel";
import { useEscape } from "@/pages/playground/useEscape";
import { usePlayground } from "@/pages/playground/usePlayground";
import { faultOf, useBounds, waitingOf } from "@/pages/playground/Workbench";

import { callChannel, maxCallBody } from "./call";
import { OperatorHeader } from "./OperatorHeader";

interface WorkbenchProps {
  userId: string;
  channel: Channel;
  channels: readonly Channel[];
  models: readonly Model[];
  /** The model of a link. */
  asked: string | undefined;
}

/** Shows the conversation with a model of the channel, the field for the next message and the settings. */
export function OperatorWorkbench({ userId, channel, channels, models, asked }: WorkbenchProps) {
  const title = t`Playground`;
  useDocumentTitle(`${title} · Tollgate`);
  const served = Object.keys(channel.models).sort();
  const playground = usePlayground(
    { key: `tollgate.playground.operator.${userId}`, historyOf: undefined, call: (call) => callChannel(call, channel) },
    served,
  );
  const { settings, set, running, stop, send } = playground;
  const [drawer, drawerHandlers] = useDisclosure();
  const choose = useChoice(channel, asked, served, set);
  useEscape(running, stop);
  const fault = faultOf(settings, t`The channel has no models.`);
  const read = served.map((id) => ({ id, modalities: models.find((model) => model.id === id)?.modalities ?? unknown }));
  const bounds = useBounds(playground, read, maxCallBody);
  const panel = (
    <SettingsPanel settings={settings} set={set} responses={false}>
      <ChannelSelect channel={channel} channels={channels} disabled={running} choose={choose} />
      <Select
        label={t`Model`}
        searchable
        allowDeselect={false}
        limit={200}
        nothingFoundMessage={t`No models match your search`}
        data={served}
        value={settings.model || null}
        onChange={(model) => model && set({ model })}
      />
    </SettingsPanel>
  );
  return (
    <div className={classes["layout"]}>
      <div className={classes["talk"]}>
        <OperatorHeader playground={playground} openSettings={drawerHandlers.open} />
        <Columns playground={playground} ready={fault === undefined} note={billingNote()} />
        <div className={classes["composer"]}>
          <Composer running={running} fault={fault ?? waitingOf(playground)} bounds={bounds} send={send} stop={stop} />
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

const unknown = { input: [], output: [] };

/** Who is charged for the calls. */
export const billingNote = () => t`Not billed to a tenant. Your provider charges for it.`;

/**
 * Takes the model of a link, and keeps the channel in the address: a reload shows the same one. Returns a function
 * that chooses another channel.
 */
function useChoice(
  channel: Channel,
  asked: string | undefined,
  served: readonly string[],
  set: (settings: Partial<Settings>) => void,
) {
  const navigate = useNavigate();
  const choose = (id: string) => void navigate({ to: "/operator/playground", search: { channel: id }, replace: true });
  useEffect(() => {
    if (asked === undefined) return;
    if (served.includes(asked)) set({ model: asked });
    choose(channel.id);
  }, [asked]);
  return choose;
}

interface ChannelSelectProps {
  channel: Channel;
  channels: readonly Channel[];
  disabled: boolean;
  choose: (id: string) => void;
}

function ChannelSelect({ channel, channels, disabled, choose }: ChannelSelectProps) {
  const labelOf = ({ name, status }: Channel) => (status === "enabled" ? name : t`${name} (disabled)`);
  return (
    <Select
      label={t`Channel`}
      searchable
      allowDeselect={false}
      limit={200}
      nothingFoundMessage={t`No channels match your search`}
      disabled={disabled}
      data={channels.map((one) => ({ value: one.id, label: labelOf(one) }))}
      value={channel.id}
      onChange={(id) => id && choose(id)}
      description={
        <AnchorLink to="/operator/channels/$id" params={{ id: channel.id }} size="xs">
          <Trans>Open the channel</Trans>
        </AnchorLink>
      }
      inputWrapperOrder={["label", "input", "description"]}
    />
  );
}
