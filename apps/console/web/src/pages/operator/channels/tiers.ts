import type { Channel } from "@/pages/operator/catalog/queries";

/** Channels that are tried together: the whole tier before the next. */
export interface Tier {
  priority: number;
  channels: Channel[];
}

/** The tiers in the order in which they are tried; within one the heaviest first, disabled ones last. */
export function tiersOf(channels: readonly Channel[]): Tier[] {
  const tiers = new Map<number, Channel[]>();
  for (const channel of channels) {
    const tier = tiers.get(channel.priority);
    if (tier) tier.push(channel);
    else tiers.set(channel.priority, [channel]);
  }
  return [...tiers.entries()]
    .sort(([a], [b]) => a - b)
    .map(([priority, members]) => ({ priority, channels: members.sort(byWeight) }));
}

function byWeight(a: Channel, b: Channel): number {
  if (a.status !== b.status) return a.status === "enabled" ? -1 : 1;
  return b.weight - a.weight || a.name.localeCompare(b.name);
}

/** The channel's part of the calls of its tier in percent, where all are well; of the enabled ones alone. */
export function shareOf(channel: Channel, tier: readonly Channel[]): number {
  if (channel.status !== "enabled") return 0;
  const sum = tier.reduce((weights, other) => weights + (other.status === "enabled" ? other.weight : 0), 0);
  return sum === 0 ? 0 : (channel.weight / sum) * 100;
}

export interface ChannelFilter {
  search?: string | undefined;
  model?: string | undefined;
  type?: string | undefined;
  status?: "enabled" | "disabled" | undefined;
}

/** The channels that the filter leaves. */
export function filtered(channels: readonly Channel[], { search, model, type, status }: ChannelFilter): Channel[] {
  const wanted = search?.toLowerCase() ?? "";
  return channels.filter(
    (channel) =>
      (!model || model in channel.models) &&
      (!type || channel.type === type) &&
      (!status || channel.status === status) &&
      `${channel.name} ${channel.base_url} ${channel.id} ${Object.entries(channel.models).flat().join(" ")}`.toLowerCase().includes(wanted),
  );
}
