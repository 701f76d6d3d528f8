import type { Channel } from "@/pages/operator/catalog/queries";

/**
 * Returns the channel with the id; without one, or if it does not exist, the first that serves the model, or else the
 * first. Enabled channels come first.
 */
export function chosenChannel(
  channels: readonly Channel[],
  id: string | undefined,
  model: string | undefined,
): Channel | undefined {
  const found = channels.find((channel) => channel.id === id);
  if (found) return found;
  const ordered = [...channels].sort(
    (a, b) =>
      Number(b.status === "enabled") - Number(a.status === "enabled") ||
      a.priority - b.priority ||
      a.name.localeCompare(b.name),
  );
  return ordered.find((channel) => model !== undefined && model in channel.models) ?? ordered[0];
}
