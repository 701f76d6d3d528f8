import type { Difference } from "./selection";

/** Returns a difference for tests. */
export const difference = (model: string, entry: string, warnings: Difference["warnings"] = []): Difference => ({
  model,
  price_id: "p",
  changes: [],
  warnings,
  scheduled_at: null,
  entry: {
    id: entry,
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
  },
});
