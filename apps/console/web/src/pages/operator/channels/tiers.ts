import type { Channel } from "@/pages/operator/catalog/queries";

/** The channels of one priority. Calls try all channels of a tier before the next tier. */
export interface Tier {
  priority: number;
  channels: Channel[];
}

/**
 * Returns the tiers in the order in which calls try them. Within a tier the channel with the largest weight is first;
 * disabled channels are last.
 */
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

/**
 * Returns the percentage of the tier's calls that the channel receives while all enabled channels of the tier are
 * healthy; 0 for a disabled channel.
 */
export function shareOf(channel: Channel, tier: readonly Channel[]): number {
  if (channel.status !== "enabled") return 0;
  const sum = tier.reduce((weights, other) => weights + (other.status === "enabled" ? other.weight : 0), 0);
  return sum === 0 ? 0 : (channel.weight / sum) * 100;
}

/** The filters of the channel list as they are in the URL. */
export interface ChannelFilter {
  search?: string | undefined;
  model?: string | undefined;
  type?: string | undefined;
  status?: "enabled" | "disabled" | undefined;
  tag?: string | undefined;
}

/** Returns the channels that match the filter. */
export function filtered(channels: readonly Channel[], { search, model, type, status, tag }: ChannelFilter): Channel[] {
  const wanted = search?.toLowerCase() ?? "";
  return channels.filter(
    (channel) =>
      (!model || model in channel.models) &&
      (!type || channel.type === type) &&
      (!status || channel.status === status) &&
      (!tag || channel.tags.includes(tag)) &&
      [channel.name, channel.base_url, channel.id, ...Object.entries(channel.models).flat(), ...channel.tags]
        .join(" ")
        .toLowerCase()
        .includes(wanted),
  );
}
