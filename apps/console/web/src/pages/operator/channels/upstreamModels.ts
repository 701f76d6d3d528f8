import type { Schema } from "@/api/client";
import type { Channel } from "@/pages/operator/catalog/queries";
import type { Entry } from "@/pages/operator/price-catalog/entries";

import { bodyOf, keysOf, pair, patchOf, type ChannelValues, type Pair } from "./channelForm";
import { withOffer } from "./offers";

/** The settings that a request for the models of an upstream needs. */
const settings = ["headers", "api_version", "proxy", "ca", "connect_timeout"] as const;

/** Returns the request body for the models of the upstream in the form. The channel is the one that is edited. */
export function sourceOf(channel: Channel | undefined, values: ChannelValues): Schema<"ModelSource"> {
  const sent: Pick<Schema<"NewChannel">, "base_url" | "settings"> = channel ? patchOf(channel, values) : bodyOf(values);
  const [key] = keysOf(values.keys);
  const needed = Object.fromEntries(
    settings.flatMap((name) => (sent.settings?.[name] === undefined ? [] : [[name, sent.settings[name]]])),
  );
  return {
    ...(channel ? { channel_id: channel.id } : { type: values.type }),
    // An emptied one is the provider's own, and not the stored one.
    ...(sent.base_url !== undefined && { base_url: sent.base_url }),
    ...(key && { api_keys: [key] }),
    ...(Object.keys(needed).length > 0 && { settings: needed }),
  };
}

/** Returns the request body that tests the channel of the form. The channel is the one that is edited. */
export function draftOf(channel: Channel | undefined, values: ChannelValues): Schema<"ChannelDraftTest"> {
  const body = bodyOf(values);
  if (!channel) return body;
  return {
    ...body,
    channel_id: channel.id,
    base_url: values.base_url.trim(), // an emptied one is the provider's own, and not the stored one
    settings: patchOf(channel, values).settings ?? {},
  };
}

/** What the price catalog has for a model that does not exist yet. */
export interface Found {
  entry: Entry;
  sha256: string;
}

/**
 * Returns the form's values with a row for each of the upstream's models. Models with an entry of the price catalog are
 * created from it.
 */
export function withModels(
  values: Pick<ChannelValues, "models" | "offers" | "confirmed">,
  ids: readonly string[],
  found: ReadonlyMap<string, Found>,
): Pick<ChannelValues, "models" | "offers" | "confirmed"> {
  let next = values;
  for (const id of ids) {
    const offer = found.get(id);
    if (offer) {
      const added = withOffer(next, offer.entry, offer.sha256);
      const row = added.offers.at(-1)?.row;
      // The channel gets the upstream's own id, which may be another name of the entry's model.
      next = { ...added, models: added.models.map((one) => (one.key === row ? { ...one, name: id, value: id } : one)) };
    } else next = { ...next, models: withRow(next.models, pair(id, id)) };
  }
  return next;
}

/** Returns the rows with one more, in place of the first empty one. */
function withRow(models: readonly Pair[], row: Pair): Pair[] {
  const empty = models.findIndex(({ name, value }) => !name.trim() && !value.trim());
  return empty < 0 ? [...models, row] : models.with(empty, row);
}
