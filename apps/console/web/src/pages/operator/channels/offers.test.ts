import { describe, expect, it, vi } from "vitest";

import { type Entry, showMore, showRates } from "@/pages/operator/price-catalog/entries";
import { entryOf } from "@/pages/operator/price-catalog/testing";

import { newValues } from "./channelForm";
import { confirmationsOf, newModelsOf, offeredModels, providerOf, withOffer } from "./offers";

const entry = (model: string, change: Partial<Entry> = {}) =>
  entryOf(model, { price: { input: "2", output: "10" }, ...change });
const unchecked = (model: string) => entry(model, { checked: false, confirm: ["unverified"] });

describe("models from the price catalog", () => {
  it("fill the empty row, then rows of their own, and must be confirmed again", () => {
    let values = newValues("openai");
    values = { ...values, ...withOffer(values, entry("large"), "s"), confirmed: ["unverified"] };
    values = { ...values, ...withOffer(values, unchecked("small"), "s") };
    expect(values.models.map(({ name, value }) => [name, value])).toEqual([
      ["large", "large"],
      ["small", "small"],
    ]);
    expect(values.confirmed).toEqual([]);
    expect(offeredModels(values, ["large"]).map(({ model, exists }) => [model, exists])).toEqual([
      ["large", true],
      ["small", false],
    ]);
  });
  it("follow their row: a new name is created, and a removed row is not", () => {
    let values = { ...newValues("openai"), ...withOffer(newValues("openai"), unchecked("large"), "s") };
    values = { ...values, models: values.models.map((row) => ({ ...row, name: "house-large" })) };
    expect(newModelsOf(offeredModels(values, ["large"]), ["unverified"])).toEqual({
      sha256: "s",
      models: [{ model: "house-large", entry: "acme/large", confirm: ["unverified"] }],
    });
    expect(offeredModels({ ...values, models: [] }, [])).toEqual([]);
  });
  it("need no confirmation and no request if they exist", () => {
    const values = withOffer(newValues("openai"), unchecked("large"), "s");
    expect(confirmationsOf(offeredModels(values, []))).toEqual(["unverified"]);
    const existing = offeredModels(values, ["large"]);
    expect(confirmationsOf(existing)).toEqual([]);
    expect(newModelsOf(existing, [])).toBeUndefined();
  });
  it("are listed with those of the channel's provider first", () => {
    const cases: [string, string][] = [
      ["https://api.openai.com/v1", "openai"],
      ["https://api.groq.com/openai/v1", "groq"],
      ["https://api.x.ai/v1", "xai"],
      ["https://notx.ai/v1", ""],
      ["no address", ""],
    ];
    for (const [base_url, provider] of cases) expect(providerOf({ type: "openai", base_url })).toBe(provider);
    expect(providerOf({ type: "gemini", base_url: "" })).toBe("google");
    expect(providerOf({ type: "azure", base_url: "https://acme.openai.azure.com" })).toBe("openai");
  });
  it("are listed so also by browsers without URL.parse", () => {
    const parse = vi.spyOn(URL, "parse").mockImplementation(() => {
      throw new TypeError("URL.parse is not a function");
    });
    expect(providerOf({ type: "openai", base_url: "https://api.groq.com/openai/v1" })).toBe("groq");
    parse.mockRestore();
  });
  it("show all that has a price", () => {
    expect(showRates(entry("large").price)).toBe("$2.00 input, $10.00 output per 1M tokens");
    expect(
      showMore({
        input: "2",
        cache_write_1h: "4",
        service_tiers: { priority: { multiplier: "2" } },
        tools: { web_search: "0.01", image_generation: { input: "5", output: "40" } },
      }),
    ).toBe("cache write, 1 hour, service tier priority, web search, image generation");
  });
});
