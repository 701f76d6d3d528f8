import type { Entry } from "./entries";
import type { Difference } from "./selection";

/** Returns an entry of the price catalog for tests. */
export const entryOf = (model: string, change: Partial<Entry> = {}): Entry => ({
  id: `acme/${model}`,
  provider: "acme",
  model,
  aliases: [],
  price: {},
  context_length: 0,
  max_output_tokens: 0,
  modalities: { input: [], output: [] },
  source: "https://acme.example",
  read: "2026-11-01",
  checked: true,
  note: "",
  confirm: [],
  ...change,
});

/** Returns a difference for tests. */
export const difference = (model: string, id: string, warnings: Difference["warnings"] = []): Difference => ({
  model,
  price_id: "p",
  changes: [],
  warnings,
  scheduled_at: null,
  entry: entryOf(model, { id }),
});
