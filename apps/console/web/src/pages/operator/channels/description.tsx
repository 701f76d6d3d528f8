import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Code, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { DescriptionList } from "@/components/DescriptionList";
import { Copyable, Moment } from "@/components/values";
import type { Channel } from "@/pages/operator/catalog/queries";

import { TagBadges } from "./TagBadges";
import { channelType, dialectLabels, lackLabel, quirkLabel } from "./types";

/** Shows the main settings of a channel. */
export function ChannelDescription({ channel }: { channel: Channel }) {
  const type = channelType(channel.type);
  return (
    <DescriptionList
      items={[
        [t`Type`, type.value === channel.type ? type.label : channel.type],
        [
          t`Base URL`,
          channel.base_url ? (
            <Copyable value={channel.base_url} label={t`base URL`} />
          ) : type.baseUrl === "optional" ? (
            t`The provider's own`
          ) : (
            t`None`
          ),
        ],
        [t`Dialects`, channel.dialects.map((dialect) => dialectLabels[dialect] ?? dialect).join(", ") || t`None`],
        ...(channel.tags.length > 0 ? [[t`Tags`, <TagBadges key="tags" tags={channel.tags} />] as const] : []),
        [t`Priority`, channel.priority],
        [t`Weight`, channel.weight],
        [
          t`On disconnect`,
          channel.on_disconnect === "drain" ? t`Read to the end, for the exact usage` : t`Cancel the upstream call`,
        ],
        [t`Charges without a price`, channel.unpriced === "allow" ? t`Allowed` : t`Refused`],
        [t`Created`, <Moment key="created" at={channel.created_at} />],
        [t`ID`, <Copyable key="id" value={channel.id} label={t`channel ID`} />],
      ]}
    />
  );
}

/** Returns the advanced settings that are set on the channel. */
export function settingItems(channel: Channel): [string, ReactNode][] {
  const { settings } = channel;
  const items: [string, ReactNode][] = [
    [t`API version`, settings.api_version || undefined],
    [t`Headers`, pairs(settings.headers)],
    [
      t`Parameters`,
      pairs(
        Object.fromEntries(Object.entries(settings.parameters).map(([name, value]) => [name, JSON.stringify(value)])),
      ),
    ],
    [
      t`System prompt`,
      settings.system_prompt ? (
        <Text key="prompt" inherit lineClamp={4} title={settings.system_prompt} style={{ whiteSpace: "pre-wrap" }}>
          {settings.system_prompt}
        </Text>
      ) : undefined,
    ],
    [t`Quirks`, words(settings.quirks, quirkLabel)],
    [t`Unsupported features`, words(settings.lacks, lackLabel)],
    [t`Calls with unsupported fields`, settings.ignored_fields === "refuse" ? t`Go to other channels` : undefined],
    [
      t`Proxy`,
      settings.proxy ? (
        <span key="proxy" className="mono">
          {settings.proxy}
        </span>
      ) : undefined,
    ],
    [
      t`Trusted certificates`,
      settings.authorities.length > 0
        ? settings.authorities.map(({ subject, expires_at }) => (
            <div key={subject}>
              <Trans>
                {subject}, until <Moment at={expires_at} />
              </Trans>
            </div>
          ))
        : undefined,
    ],
    [t`Connect timeout`, settings.connect_timeout || undefined],
    [t`First-byte timeout`, settings.first_byte_timeout || undefined],
    [t`Idle timeout`, settings.idle_timeout || undefined],
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

function words(all: string[], label: (word: string) => string) {
  if (all.length === 0) return undefined;
  return (
    <Group gap={6}>
      {all.map((word) => (
        <Badge key={word} color="gray">
          {label(word)}
        </Badge>
      ))}
    </Group>
  );
}
