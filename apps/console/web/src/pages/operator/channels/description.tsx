import { Badge, Code, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { DescriptionList } from "@/components/DescriptionList";
import { Copyable, Moment, Status } from "@/components/values";
import type { Channel } from "@/pages/operator/catalog/queries";

import { channelType, endpointLabels, lackLabels, quirkLabels } from "./types";

/** Shows the main settings of a channel. */
export function ChannelDescription({ channel }: { channel: Channel }) {
  const type = channelType(channel.type);
  return (
    <DescriptionList
      items={[
        ["Status", <Status key="status" value={channel.status} />],
        ["Type", type.value === channel.type ? type.label : channel.type],
        ["Base URL", channel.base_url ? <Copyable value={channel.base_url} label="base URL" /> : type.baseUrl === "optional" ? "The provider’s own" : "None"],
        ["Dialects", channel.endpoints.map((endpoint) => endpointLabels[endpoint] ?? endpoint).join(", ") || "None"],
        ["Priority", channel.priority],
        ["Weight", channel.weight],
        ["Client leaves", channel.on_disconnect === "drain" ? "The upstream is read on for its usage" : "The upstream is cancelled"],
        ["Created", <Moment key="created" at={channel.created_at} />],
        ["Id", <Copyable key="id" value={channel.id} label="id" />],
      ]}
    />
  );
}

/** Returns the advanced settings that are set on the channel. */
export function settingItems(channel: Channel): [string, ReactNode][] {
  const { settings } = channel;
  const items: [string, ReactNode][] = [
    ["API version", settings.api_version || undefined],
    ["Headers", pairs(settings.headers)],
    ["Parameters", pairs(Object.fromEntries(Object.entries(settings.parameters).map(([name, value]) => [name, JSON.stringify(value)])))],
    ["System prompt", settings.system_prompt ? <Text key="prompt" inherit lineClamp={4} title={settings.system_prompt} style={{ whiteSpace: "pre-wrap" }}>{settings.system_prompt}</Text> : undefined],
    ["Quirks", words(settings.quirks, quirkLabels)],
    ["Lacks", words(settings.lacks, lackLabels)],
    ["Proxy", settings.proxy ? <span key="proxy" className="mono">{settings.proxy}</span> : undefined],
    ["Trusts", settings.authorities.length > 0 ? settings.authorities.map(({ subject, expires_at }) => <div key={subject}>{subject}, until <Moment at={expires_at} /></div>) : undefined],
    ["Connect time-out", settings.connect_timeout || undefined],
    ["First-byte time-out", settings.first_byte_timeout || undefined],
    ["Idle time-out", settings.idle_timeout || undefined],
  ];
  return items.filter(([, value]) => value !== undefined);
}

function pairs(map: Record<string, string>) {
  const names = Object.keys(map).sort();
  if (names.length === 0) return undefined;
  return names.map((name) => (
    <div key={name}>
      <Code>
        {name}: {map[name]}
      </Code>
    </div>
  ));
}

function words(all: string[], labels: Record<string, string>) {
  if (all.length === 0) return undefined;
  return (
    <Group gap={6}>
      {all.map((word) => (
        <Badge key={word} color="gray">
          {labels[word] ?? word}
        </Badge>
      ))}
    </Group>
  );
}
