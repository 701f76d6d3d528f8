import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Select, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

import { AnchorLink } from "@/components/links";
import { useUnsavedAtEnd } from "@/components/unsaved";
import type { Channel, Model } from "@/pages/operator/catalog/queries";
import { Layout, Spent } from "@/pages/playground/Layout";
import type { Settings } from "@/pages/playground/settings";
import { SettingsPanel } from "@/pages/playground/SettingsPanel";
import { useBounds } from "@/pages/playground/useBounds";
import { usePlayground } from "@/pages/playground/usePlayground";

import { callChannel, maxCallBody } from "./call";

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
  const served = Object.keys(channel.models).sort();
  const playground = usePlayground(
    { key: `tollgate.playground.operator.${userId}`, historyOf: undefined, call: (call) => callChannel(call, channel) },
    served,
  );
  const { settings, set, running, columns } = playground;
  // Nothing else stores the conversation: operators have no history.
  useUnsavedAtEnd(() => columns.some((turns) => turns.length > 0));
  const choose = useChoice(channel, asked, served, set);
  const read = served.map((id) => ({ id, modalities: models.find((model) => model.id === id)?.modalities ?? unknown }));
  return (
    <Layout
      playground={playground}
      spent={
        <>
          <Spent playground={playground} />
          <Text size="sm" c="dimmed">
            {billingNote()}
          </Text>
        </>
      }
      note={billingNote()}
      noModel={t`The channel has no models.`}
      bounds={useBounds(playground, read, maxCallBody)}
      settings={
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
      }
    />
  );
}

const unknown = { input: [], output: [] };

/** Who is charged for the calls. */
const billingNote = () => t`Not billed to a tenant. Your provider charges for it.`;

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
