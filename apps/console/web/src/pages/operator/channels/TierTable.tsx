import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";

import { DataTable, type Column } from "@/components/DataTable";
import { channelStatus, noHealth } from "@/components/channels/status";
import { StatusOfChannel } from "@/components/channels/StatusOfChannel";
import { AnchorLink } from "@/components/links";
import type { Selection } from "@/components/table/useSelection";
import type { Channel, ChannelHealth } from "@/pages/operator/catalog/queries";

import { Credentials, Errors, FirstByte } from "./Health";
import { TagBadges } from "./TagBadges";
import { shareOf, type Tier } from "./tiers";
import classes from "./TierTable.module.css";
import { dialectLabels } from "./types";
import { errorShare, showPercent } from "./health";

/** Measurements of the channels, keyed by channel id. Each map is undefined while it loads. */
export interface Measurements {
  health: Map<string, ChannelHealth> | undefined;
  calls: Map<string, { requests: number; failed: number }> | undefined;
  firstBytes: Map<string, number[]> | undefined;
}

interface TierTableProps {
  tier: Tier;
  /** The position among the tiers that are shown, starting at 0. */
  place: number;
  /** Shows each channel's share of the calls for this model; without a model the weights are shown. */
  model: string | undefined;
  measurements: Measurements;
  /** The selected channels, of all tiers. */
  selection: Selection;
}

/** Lists the channels of one priority. Calls try all of them before the next priority. */
export function TierTable({ tier, place, model, measurements, selection }: TierTableProps) {
  const navigate = useNavigate();
  const { priority } = tier;
  const count = tier.channels.length;
  return (
    <section>
      <div className={classes["heading"]}>
        <Title order={2}>
          <Trans>Priority {priority}</Trans>
        </Title>
        <Text c="dimmed" size="sm">
          {place === 0 ? t`tried first` : t`tried when the channels above fail`} ·{" "}
          {plural(count, { one: "# channel", other: "# channels" })}
        </Text>
      </div>
      <DataTable
        table="channels"
        whole
        caption={t`Channels of priority ${priority}`}
        columns={columnsOf(tier, model, measurements)}
        rows={tier.channels}
        rowKey={(channel) => channel.id}
        selection={selection}
        nameOf={(channel) => channel.name}
        faded={(channel) => channel.status !== "enabled"}
        onRowClick={(channel) => void navigate({ to: "/operator/channels/$id", params: { id: channel.id } })}
        empty={null}
        dense
      />
    </section>
  );
}

const callsOf = ({ id }: Channel, { calls }: Measurements) => calls?.get(id) ?? { requests: 0, failed: 0 };

function columnsOf(tier: Tier, model: string | undefined, measurements: Measurements): Column<Channel>[] {
  return [
    {
      id: "channel",
      header: t`Channel`,
      width: "22%",
      value: (channel) => channel.name,
      cell: (channel) => <Name channel={channel} />,
    },
    {
      id: "status",
      header: t`Status`,
      width: "22%",
      value: (channel) => channelStatus(channel.status, measurements.health?.get(channel.id) ?? noHealth).word,
      cell: (channel) => (
        <StatusOfChannel setting={channel.status} health={measurements.health?.get(channel.id)} reason />
      ),
    },
    {
      id: "weight",
      header: t`Weight`,
      width: "9%",
      value: (channel) => channel.weight,
      cell: (channel) => <Weight channel={channel} tier={tier} model={model} />,
    },
    {
      id: "dialects",
      header: t`Dialects`,
      width: "9%",
      value: (channel) => channel.dialects.join(" "),
      cell: (channel) => channel.dialects.map((dialect) => dialectLabels[dialect] ?? dialect).join(", "),
      secondary: true,
    },
    {
      id: "models",
      header: model ? t`Upstream model` : t`Models`,
      width: "12%",
      value: (channel) => (model ? channel.models[model] : Object.keys(channel.models).length),
      cell: (channel) =>
        model ? <span className="mono">{channel.models[model]}</span> : <ModelCount channel={channel} />,
    },
    { id: "type", header: t`Type`, optional: true, value: (channel) => channel.type, cell: (channel) => channel.type },
    {
      id: "tags",
      header: t`Tags`,
      optional: true,
      value: (channel) => channel.tags.join(", "),
      cell: (channel) => <TagBadges tags={channel.tags} />,
    },
    {
      id: "address",
      header: t`Address`,
      optional: true,
      value: (channel) => channel.base_url,
      cell: (channel) => channel.base_url,
    },
    {
      id: "channel_id",
      header: t`Channel ID`,
      optional: true,
      value: (channel) => channel.id,
      cell: (channel) => <span className="mono">{channel.id}</span>,
    },
    {
      id: "credentials",
      header: t`Credentials`,
      width: "10%",
      cell: (channel) => <Credentials channel={channel} health={measurements.health?.get(channel.id)} />,
      secondary: true,
    },
    {
      id: "errors_24_h",
      header: t`Errors, 24 h`,
      width: "8%",
      align: "right",
      value: (channel) => callsOf(channel, measurements).failed,
      sortBy: (channel) => {
        const { requests, failed } = callsOf(channel, measurements);
        return errorShare(requests, failed);
      },
      cell: (channel) => <Errors {...callsOf(channel, measurements)} />,
    },
    {
      id: "first_byte",
      header: t`First byte`,
      width: "8%",
      align: "right",
      cell: (channel) => <FirstByte times={measurements.firstBytes?.get(channel.id)} />,
    },
  ];
}

function Name({ channel }: { channel: Channel }) {
  return (
    <Stack gap={0} miw={0}>
      <Group gap={8} wrap="nowrap">
        <AnchorLink
          to="/operator/channels/$id"
          params={{ id: channel.id }}
          className={classes["name"]}
          c="inherit"
          lineClamp={2}
        >
          {channel.name}
        </AnchorLink>
        <Badge color="gray">{channel.type}</Badge>
      </Group>
      <TagBadges tags={channel.tags} />
      {channel.base_url && (
        <Text component="span" size="xs" c="dimmed" truncate className={classes["url"]} title={channel.base_url}>
          {channel.base_url}
        </Text>
      )}
    </Stack>
  );
}

function Weight({ channel, tier, model }: { channel: Channel; tier: Tier; model: string | undefined }) {
  const share = shareOf(channel, tier.channels);
  const part = showPercent(share);
  const { weight } = channel;
  if (!model) return <span className="tabular">{channel.weight}</span>;
  return (
    <Tooltip
      label={t`Weight ${weight}: ${part} of the calls for ${model} within this priority, while all channels are healthy`}
    >
      <Group gap={8} wrap="nowrap" display="inline-flex">
        <span className="tabular">{channel.weight}</span>
        <span className={classes["track"]} aria-hidden>
          <span className={classes["bar"]} style={{ display: "block", width: `${share}%` }} />
        </span>
        <Text component="span" size="xs" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
          {part}
        </Text>
      </Group>
    </Tooltip>
  );
}

function ModelCount({ channel }: { channel: Channel }) {
  const models = Object.keys(channel.models).sort();
  const count = models.length;
  if (models.length === 1)
    return (
      <Text
        component="span"
        inherit
        truncate="end"
        maw={{ base: 180, sm: 100, lg: 180 }}
        display="inline-block"
        style={{ verticalAlign: "bottom" }}
        title={models[0]}
      >
        {models[0]}
      </Text>
    );
  const shown = models.slice(0, 12).join(", ");
  const more = models.length - 12;
  return (
    <Tooltip disabled={models.length === 0} label={more > 0 ? t`${shown} and ${more} more` : shown}>
      <span className="tabular">{plural(count, { one: "# model", other: "# models" })}</span>
    </Tooltip>
  );
}
