import { expect, it } from "vitest";

import type { Channel } from "@/pages/operator/catalog/queries";
import type { Entry } from "@/pages/operator/price-catalog/entries";

import { newValues, pair, valuesOf } from "./channelForm";
import { channel as stored } from "./testing";
import { draftOf, sourceOf, withModels } from "./upstreamModels";

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

it("a test of an edited channel sends only the changed settings, because the stored proxy is masked", () => {
  const channel = {
    id: "c",
    name: "main",
    type: "openai",
    base_url: "https://a.example",
    api_key_masks: [],
    dialects: ["chat"],
    models: { m: "up" },
    settings: { headers: {}, parameters: {}, quirks: [], lacks: [], proxy: "http://…@proxy", system_prompt: "" },
  } as unknown as Channel;
  const values = { ...newValues("openai"), base_url: "https://a.example", models: [pair("m", "up")] };
  const body = draftOf(channel, { ...values, proxy: "http://…@proxy", system_prompt: "Be brief." });
  expect(body.channel_id).toBe("c");
  expect(body.settings).not.toHaveProperty("proxy");
  expect(body.settings?.system_prompt).toBe("Be brief.");
  expect(draftOf(undefined, values)).not.toHaveProperty("channel_id");
});

it("an emptied base URL is sent, so that a new credential does not go to the stored one", () => {
  const there = stored({ type: "anthropic" });
  const values = { ...valuesOf(there), base_url: " ", keys: "sk-new" };
  expect(sourceOf(there, values)).toEqual({ channel_id: "c", base_url: "", api_keys: ["sk-new"] });
  expect(draftOf(there, values)).toMatchObject({ channel_id: "c", base_url: "", api_keys: ["sk-new"] });
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
