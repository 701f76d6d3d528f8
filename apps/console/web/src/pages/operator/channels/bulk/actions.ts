import { plural, t } from "@lingui/core/macro";

import { api, ask, type Schema } from "@/api/client";
import { wordOf } from "@/components/channels/status";
import { showMillis } from "@/format/number";
import type { Channel } from "@/pages/operator/catalog/queries";
import { changedTags } from "@/pages/operator/channels/tags";

/** What can be done with several channels at once. */
export type ActionName = "test" | "enable" | "disable" | "weigh" | "tag";

/** Values for "tag". */
export interface TagChange {
  add: readonly string[];
  remove: readonly string[];
}

/** Values for "weigh". Those that are undefined stay as they are. */
export interface Weights {
  priority?: number | undefined;
  weight?: number | undefined;
}

/** Returns the channels that the action changes or tests. Those that are enabled need not be enabled again. */
export function affectedBy(action: ActionName, channels: readonly Channel[]): Channel[] {
  if (action === "enable") return channels.filter(({ status }) => status !== "enabled");
  if (action === "disable") return channels.filter(({ status }) => status === "enabled");
  return [...channels];
}

/** Returns the public models, sorted, that have an enabled channel now, and none once `disabled` are disabled. */
export function modelsWithout(channels: readonly Channel[], disabled: readonly Channel[]): string[] {
  const ids = new Set(disabled.map(({ id }) => id));
  const served = new Set(
    channels
      .filter(({ id, status }) => status === "enabled" && !ids.has(id))
      .flatMap(({ models }) => Object.keys(models)),
  );
  const servedNow = disabled.filter(({ status }) => status === "enabled").flatMap(({ models }) => Object.keys(models));
  return [...new Set(servedNow)].filter((model) => !served.has(model)).sort();
}

/** Makes a real call of the channel's first model. Returns how long it took; fails with what went wrong. */
export async function testChannel({ id }: Channel): Promise<string> {
  const params = { path: { id } };
  const tested = await ask(api.POST("/api/operator/channels/{id}/test", { params, body: {} }));
  if (!tested.ok) throw new Error(reasonOf(tested));
  const time = showMillis(tested.latency_ms);
  return t`Works: ${time}`;
}

function reasonOf({ error, status, detail }: Schema<"ChannelTested">): string {
  const word = status > 0 ? `${wordOf(error)} (${status})` : wordOf(error);
  return detail ? `${word}: ${detail}` : word;
}

/** Changes the fields of the body, and no others: what somebody else changes meanwhile stays. */
export async function patchChannel({ id }: Channel, body: Schema<"ChannelPatch">): Promise<string> {
  await ask(api.PATCH("/api/operator/channels/{id}", { params: { path: { id } }, body }));
  return t`Changed`;
}

/**
 * Adds tags to a channel and removes others. It reads the channel first, so that tags which somebody else has changed
 * since the list was read stay.
 */
export async function tagChannel(channel: Channel, { add, remove }: TagChange): Promise<string> {
  const params = { path: { id: channel.id } };
  const { tags } = await ask(api.GET("/api/operator/channels/{id}", { params }));
  const changed = changedTags(tags, add, remove);
  if (changed.join("\n") === tags.join("\n")) return t`Unchanged`;
  return patchChannel(channel, { tags: changed });
}

/** Returns the title of the dialog of an action. */
export function titleOf(action: ActionName, count: number): string {
  switch (action) {
    case "test":
      return plural(count, { one: "Test # channel", other: "Test # channels" });
    case "enable":
      return plural(count, { one: "Enable # channel", other: "Enable # channels" });
    case "disable":
      return plural(count, { one: "Disable # channel", other: "Disable # channels" });
    case "weigh":
      return plural(count, {
        one: "Set priority and weight of # channel",
        other: "Set priority and weight of # channels",
      });
    case "tag":
      return plural(count, { one: "Edit the tags of # channel", other: "Edit the tags of # channels" });
  }
}

/** Returns the sentence that says what the action does. */
export function explanationOf(action: ActionName): string {
  switch (action) {
    case "test":
      return t`A real call of a few tokens for the first model of each channel, from this console. The calls are not metered, and don't affect channel health.`;
    case "enable":
      return t`Relays send calls to them again within a second.`;
    case "disable":
      return t`Relays stop sending calls to them within a second. Calls in progress continue.`;
    case "weigh":
      return t`A field that stays empty is not changed.`;
    case "tag":
      return t`All other tags stay. Tags don't influence routing, and tenants never see them.`;
  }
}
