import type { Channel, Model } from "@/pages/operator/catalog/queries";

/** The reasons why clients cannot call an enabled model. */
export type Attention = "unpriced" | "unserved";

/** A model with the channels that serve it and its problems. */
export interface ModelRow {
  model: Model;
  /** The number of enabled channels that serve the model. */
  served: number;
  /** The number of disabled channels that have the model. */
  disabled: number;
  attention: Attention[];
}

/**
 * Combines models with the channels that serve them. `attention` lists what keeps clients from calling an enabled
 * model: it has no price, or no enabled channel serves it. Without `channels`, while they load, no model counts as
 * unserved.
 */
export function rowsOf(
  models: readonly Model[],
  channels: readonly Pick<Channel, "status" | "models">[] | undefined,
): ModelRow[] {
  const served = new Map<string, { enabled: number; disabled: number }>();
  for (const channel of channels ?? []) {
    for (const id of Object.keys(channel.models)) {
      const count = served.get(id) ?? { enabled: 0, disabled: 0 };
      count[channel.status]++;
      served.set(id, count);
    }
  }
  return models.map((model) => {
    const count = served.get(model.id) ?? { enabled: 0, disabled: 0 };
    const attention: Attention[] = [];
    if (model.status === "enabled" && !model.price && !model.free) attention.push("unpriced");
    if (model.status === "enabled" && channels && count.enabled === 0) attention.push("unserved");
    return { model, served: count.enabled, disabled: count.disabled, attention };
  });
}

/** The filters of the model list as they are in the URL. "attention" selects models that clients cannot call. */
export interface ModelFilter {
  search?: string | undefined;
  status?: "enabled" | "disabled" | "attention" | undefined;
}

/** Returns the rows that match the filter. */
export function filteredModels(rows: readonly ModelRow[], { search, status }: ModelFilter): ModelRow[] {
  const wanted = search?.toLowerCase() ?? "";
  return rows.filter(
    ({ model, attention }) =>
      (status === undefined || (status === "attention" ? attention.length > 0 : model.status === status)) &&
      `${model.id} ${model.owned_by}`.toLowerCase().includes(wanted),
  );
}
