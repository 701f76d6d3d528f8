import { t } from "@lingui/core/macro";

import type { Channel } from "@/pages/operator/catalog/queries";

/** The bounds of the API. */
export const maxTags = 10;
export const maxTag = 40;

/** Returns the tags of all channels, sorted. */
export const tagsOf = (channels: readonly Pick<Channel, "tags">[]): string[] =>
  [...new Set(channels.flatMap(({ tags }) => tags))].sort((a, b) => a.localeCompare(b));

/** Returns the tags without the removed ones and with the added ones at the end, each once. */
export const changedTags = (tags: readonly string[], add: readonly string[], remove: readonly string[]): string[] => [
  ...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add]),
];

/** Returns the reason why the API would refuse the tags; null if it would not. */
export function tagsFault(tags: readonly string[]): string | null {
  if (tags.length > maxTags) return t`A channel can have at most ${maxTags} tags.`;
  const long = tags.find((tag) => [...tag].length > maxTag);
  return long === undefined ? null : t`A tag can have at most ${maxTag} characters.`;
}
