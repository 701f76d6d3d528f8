import { Badge, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";

import { DataTable, type Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { plural } from "@/format/number";
import type { Channel, ChannelHealth } from "@/pages/operator/catalog/queries";

import { Credentials, Errors, FirstByte, Verdict } from "./Health";
import { shareOf, type Tier } from "./tiers";
import classes from "./TierTable.module.css";
import { endpointLabels } from "./types";
import { showPercent } from "./health";

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
}

/** Lists the channels of one priority. Calls try all of them before the next priority. */
export function TierTable({ tier, place, model, measurements }: TierTableProps) {
  const navigate = useNavigate();
  return (
    <section>
      <div className={classes["heading"]}>
        <Title order={2}>
          Priority {tier.priority}
        </Title>
        <Text c="dimmed" size="sm">
          {place === 0 ? "tried first" : "tried when the channels above cannot answer"} · {plural(tier.channels.length, "channel")}
        </Text>
      </div>
      <DataTable
        caption={`Channels of priority ${tier.priority}`}
        columns={columnsOf(tier, model, measurements)}
        rows={tier.channels}
        rowKey={(channel) => channel.id}
        faded={(channel) => channel.status !== "enabled"}
        onRowClick={(channel) => void navigate({ to: "/operator/channels/$id", params: { id: channel.id } })}
        empty={null}
      />
    </section>
  );
}

function columnsOf(tier: Tier, model: string | undefined, measurements: Measurements): Column<Channel>[] {
  return [
    { header: "Channel", width: "26%", cell: (channel) => <Name channel={channel} /> },
    { header: "Status", width: "11%", cell: (channel) => <Verdict channel={channel} health={measurements.health?.get(channel.id)} /> },
    { header: "Weight", width: "13%", cell: (channel) => <Weight channel={channel} tier={tier} model={model} /> },
    { header: "Dialects", width: "11%", cell: (channel) => channel.endpoints.map((endpoint) => endpointLabels[endpoint] ?? endpoint).join(", "), secondary: true },
    { header: model ? "Upstream model" : "Models", width: "13%", cell: (channel) => (model ? <span className="mono">{channel.models[model]}</span> : <ModelCount channel={channel} />) },
    { header: "Credentials", width: "10%", cell: (channel) => <Credentials channel={channel} health={measurements.health?.get(channel.id)} />, secondary: true },
    { header: "Errors, 24 h", width: "8%", align: "right", cell: (channel) => <Errors {...(measurements.calls?.get(channel.id) ?? { requests: 0, failed: 0 })} /> },
    { header: "First byte", width: "8%", align: "right", cell: (channel) => <FirstByte times={measurements.firstBytes?.get(channel.id)} /> },
  ];
}

function Name({ channel }: { channel: Channel }) {
  return (
    <Stack gap={0} miw={0}>
      <Group gap={8} wrap="nowrap">
        <AnchorLink to="/operator/channels/$id" params={{ id: channel.id }} className={classes["name"]} c="inherit" lineClamp={2}>
          {channel.name}
        </AnchorLink>
        <Badge color="gray">{channel.type}</Badge>
      </Group>
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
  if (!model) return <span className="tabular">{channel.weight}</span>;
  return (
    <Tooltip label={`Weight ${channel.weight}: ${showPercent(share)} of this tier's calls for ${model}, while all are well`}>
      <Group gap={8} wrap="nowrap" display="inline-flex">
        <span className="tabular">{channel.weight}</span>
        <span className={classes["track"]} aria-hidden>
          <span className={classes["bar"]} style={{ display: "block", width: `${share}%` }} />
        </span>
        <Text component="span" size="xs" c="dimmed" className="tabular" style={{ whiteSpace: "nowrap" }}>
          {showPercent(share)}
        </Text>
      </Group>
    </Tooltip>
  );
}

function ModelCount({ channel }: { channel: Channel }) {
  const models = Object.keys(channel.models).sort();
  if (models.length === 1) return <Text component="span" inherit truncate="end" maw={180} display="inline-block" title={models[0]}>{models[0]}</Text>;
  const shown = models.slice(0, 12).join(", ");
  return (
    <Tooltip disabled={models.length === 0} label={models.length > 12 ? `${shown} and ${models.length - 12} more` : shown}>
      <span className="tabular">{plural(models.length, "model")}</span>
    </Tooltip>
  );
}
