import { expect, it } from "vitest";

import type { Entry } from "@/pages/operator/price-catalog/entries";

import { newValues, pair } from "./channelForm";
import { sourceOf, withModels } from "./upstreamModels";

const entry = (model: string): Entry => ({
  id: `openai/${model}`,
  provider: "openai",
  model,
  aliases: [],
  price: { input: "1" },
  context_length: 0,
  max_output_tokens: 0,
  modalities: { input: [], output: [] },
  checked: true,
  confirm: [],
  note: "",
  read: "2026-01-01",
  source: "https://openai.example",
});

it("the models of a new channel are asked with its connection and its first credential alone", () => {
  const values = { ...newValues("openai"), keys: "sk-1\nsk-2", base_url: " https://a.example ", parameters: '{"a":1}' };
  expect(sourceOf(undefined, values)).toEqual({ type: "openai", base_url: "https://a.example", api_keys: ["sk-1"] });
  const headers = [pair("X-Team", "red")];
  expect(sourceOf(undefined, { ...newValues("anthropic"), headers, system_prompt: "x" })).toEqual({
    type: "anthropic",
    settings: { headers: { "X-Team": "red" } },
  });
});

it("chosen models take the first empty row, and those of the price catalog have an offer for theirs", () => {
  const values = { ...newValues("openai"), models: [pair("a", "a"), pair()] };
  const next = withModels(values, ["b", "gpt-dated"], new Map([["gpt-dated", { entry: entry("gpt"), sha256: "s" }]]));
  expect(next.models.map(({ name, value }) => [name, value])).toEqual([
    ["a", "a"],
    ["b", "b"],
    ["gpt-dated", "gpt-dated"],
  ]);
  expect(next.offers.map(({ row, sha256 }) => [row, sha256])).toEqual([[next.models[2]?.key, "s"]]);
  expect(withModels(values, [], new Map())).toEqual(values);
});
