import type { Channel, Model } from "@/pages/operator/catalog/queries";

export type Attention = "unpriced" | "unserved";

/** A model with what is around it. */
export interface ModelRow {
  model: Model;
  /** Enabled channels that serve it. */
  served: number;
  /** Disabled ones. */
  resting: number;
  attention: Attention[];
}

/** Models with the channels that serve them, and what keeps clients from calling them. */
export function rowsOf(models: readonly Model[], channels: readonly Pick<Channel, "status" | "models">[] | undefined): ModelRow[] {
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
    return { model, served: count.enabled, resting: count.disabled, attention };
  });
}

export interface ModelFilter {
  search?: string | undefined;
  status?: "enabled" | "disabled" | "attention" | undefined;
}

/** The rows that the filter leaves. */
export function filteredModels(rows: readonly ModelRow[], { search, status }: ModelFilter): ModelRow[] {
  const wanted = search?.toLowerCase() ?? "";
  return rows.filter(
    ({ model, attention }) =>
      (status === undefined || (status === "attention" ? attention.length > 0 : model.status === status)) && `${model.id} ${model.owned_by}`.toLowerCase().includes(wanted),
  );
}
