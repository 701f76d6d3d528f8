import type { Schema } from "@/api/client";
import type { Entry } from "@/pages/operator/price-catalog/entries";

import { pair, type ChannelValues, type Confirmation, type Offer, type Pair } from "./channelForm";

/** The model that a chosen entry is for. */
export interface OfferedModel {
  model: string;
  offer: Offer;
  /** The model exists. It keeps its price, and nothing is created. */
  exists: boolean;
}

/** Returns the values with one entry more: the next empty row gets its model. The operator has to confirm again. */
export function withOffer(
  values: Pick<ChannelValues, "models" | "offers">,
  entry: Entry,
  sha256: string,
): Pick<ChannelValues, "models" | "offers" | "confirmed"> {
  const row = pair(entry.model, entry.model);
  const empty = values.models.findIndex(({ name, value }) => !name.trim() && !value.trim());
  const models: Pair[] = empty < 0 ? [...values.models, row] : values.models.with(empty, row);
  return { models, offers: [...values.offers, { row: row.key, entry, sha256 }], confirmed: [] };
}

/** Returns the models of the chosen entries whose row is still there, in the order of the rows. */
export function offeredModels(
  { models, offers }: Pick<ChannelValues, "models" | "offers">,
  existing: readonly string[],
): OfferedModel[] {
  return models.flatMap(({ key, name }) => {
    const offer = offers.find(({ row }) => row === key);
    return offer && name.trim() ? [{ model: name.trim(), offer, exists: existing.includes(name.trim()) }] : [];
  });
}

/** Returns what the operator must confirm before the models that do not exist are created, each once. */
export const confirmationsOf = (offered: readonly OfferedModel[]): Confirmation[] => [
  ...new Set(offered.filter(({ exists }) => !exists).flatMap(({ offer }) => offer.entry.confirm)),
];

/** Returns the request body that creates the models that do not exist; undefined if all of them do. */
export function newModelsOf(
  offered: readonly OfferedModel[],
  confirmed: readonly Confirmation[],
): Schema<"NewModels"> | undefined {
  const missing = offered.filter(({ exists }) => !exists);
  const [first] = missing;
  return (
    first && {
      sha256: first.offer.sha256,
      models: missing.map(({ model, offer: { entry } }) => ({
        model,
        entry: entry.id,
        confirm: entry.confirm.filter((warning) => confirmed.includes(warning)),
      })),
    }
  );
}

/** The providers of the price catalog, by the end of the host name of their API. */
const hosts: Record<string, string> = {
  "openai.com": "openai",
  "anthropic.com": "anthropic",
  "googleapis.com": "google",
  "groq.com": "groq",
  "x.ai": "xai",
  "mistral.ai": "mistral",
  "deepseek.com": "deepseek",
  "cohere.com": "cohere",
  "cohere.ai": "cohere",
  "moonshot.ai": "moonshot",
  "moonshot.cn": "moonshot",
  "z.ai": "zai",
};

const providers: Record<string, string> = { azure: "openai", anthropic: "anthropic", gemini: "google" };

/** Returns the provider whose entries are listed first for a channel of the type and address; "" if it is not known. */
export function providerOf({ type, base_url }: Pick<ChannelValues, "type" | "base_url">): string {
  if (providers[type]) return providers[type];
  const host = URL.canParse(base_url) ? new URL(base_url).hostname : ""; // URL.parse is too new for some browsers
  return Object.entries(hosts).find(([end]) => host === end || host.endsWith(`.${end}`))?.[1] ?? "";
}
