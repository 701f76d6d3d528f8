import { queryOptions } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { readWhole } from "@/api/whole";

export type Channel = Schema<"Channel">;
export type Model = Schema<"Model">;
export type Group = Schema<"Group">;
export type ChannelHealth = Schema<"ChannelHealth">;

/**
 * The maximum number of rows that is read of a catalog list. Catalog lists are short because relays hold the whole
 * catalog in memory.
 */
export const maxRows = 1000;
const pageSize = 200;

interface Page<Row> {
  items: Row[];
  next: string;
}

/** A list of the catalog. `more` is true if the list has more rows than were read. */
export interface CatalogList<Row> {
  items: Row[];
  more: boolean;
}

/** Reads a list of the catalog page by page, up to `maxRows` rows. */
export async function fetchAll<Row>(
  fetchPage: (query: { after?: string; limit: number }) => Promise<Page<Row>>,
): Promise<CatalogList<Row>> {
  const items: Row[] = [];
  let after = "";
  do {
    const page = await fetchPage({ limit: pageSize, ...(after && { after }) });
    items.push(...page.items);
    after = page.next;
  } while (after && items.length < maxRows);
  return { items, more: after !== "" };
}

/** Reads all channels, each with all of its models. */
export const channelsQuery = queryOptions({
  queryKey: ["operator", "channels"],
  queryFn: () =>
    fetchAll((query) => ask(api.GET("/api/operator/channels", { params: { query: { ...query, complete: true } } }))),
});

/** Reads one channel. */
export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ["operator", "channels", id],
    queryFn: () => ask(api.GET("/api/operator/channels/{id}", { params: { path: { id } } })),
  });

/** Counts the calls without a price of one channel, or of all. */
export const unpricedQuery = (channelId?: string) =>
  queryOptions({
    queryKey: ["operator", "unpriced-calls", channelId ?? ""],
    queryFn: () =>
      ask(api.GET("/api/operator/unpriced-calls", { params: { query: channelId ? { channel_id: channelId } : {} } })),
  });

/** Reads the health of one channel every 15 seconds. */
export const channelHealthQuery = (id: string) =>
  queryOptions({
    queryKey: ["operator", "channel-health", id],
    queryFn: () => ask(api.GET("/api/operator/channels/{id}/health", { params: { path: { id } } })),
    refetchInterval: 15_000,
  });

/** Reads the health of all channels with all credentials, keyed by channel id. */
export const channelsHealthQuery = queryOptions({
  queryKey: ["operator", "channel-health"],
  queryFn: async () => {
    const { items } = await readWhole((query) =>
      ask(api.GET("/api/operator/channel-health", { params: { query: { ...query, complete: true } } })),
    );
    return new Map(items.map((health) => [health.channel_id, health]));
  },
  refetchInterval: 15_000,
});

/** Reads all models. */
export const modelsQuery = queryOptions({
  queryKey: ["operator", "models"],
  queryFn: () => fetchAll((query) => ask(api.GET("/api/operator/models", { params: { query } }))),
});

/** Reads all groups, each with all of its models. */
export const groupsQuery = queryOptions({
  queryKey: ["operator", "groups"],
  queryFn: () =>
    fetchAll((query) => ask(api.GET("/api/operator/groups", { params: { query: { ...query, complete: true } } }))),
});

/** Reads the models that users of a group see, with their prices for this group. */
export const visibleQuery = (groupId: string) =>
  queryOptions({
    queryKey: ["operator", "visible", groupId],
    queryFn: () =>
      readWhole((query) => ask(api.GET("/api/models", { params: { query: { ...query, group_id: groupId } } }))),
  });
