import { describe, expect, it } from "vitest";

import type { Model } from "@/pages/operator/catalog/queries";

import { areFactors, changed, changesFor, isFactor, noFactors, scaled, usedClasses } from "./bulk";

const price = {
  input: "3",
  cached_input: "0.3",
  output: "15",
  tiers: [{ above_input: 200_000, input: "6", output: "22.5" }],
  service_tiers: {
    flex: { multiplier: "0.5" },
    priority: { input: "5.1", tiers: [{ above_input: 200_000, input: "9" }] },
  },
  tools: { web_search: "0.01", image_generation: { input: "5", output: "40" } },
};

const model = (id: string, own?: Model["price"]): Model => ({
  id,
  owned_by: "x",
  status: "enabled",
  free: false,
  max_output: 1,
  created_at: "2026-01-01T00:00:00Z",
  routing: "weighted",
  context_length: 0,
  modalities: { input: [], output: [] },
  limits: {
    requests_per_minute: null,
    tokens_per_minute: null,
    concurrent_requests: null,
  } as unknown as Model["limits"],
  ...(own && { price: own }),
});

describe("changing several prices", () => {
  it("multiplies exactly and rounds half up to a nano-dollar", () => {
    expect([
      scaled("0.15", "1.1"),
      scaled("0.000000001", "0.5"),
      scaled("0.000000001", "0.4"),
      scaled("999999999", "1.5"),
    ]).toEqual(["0.165", "0.000000001", "0", "1499999998.5"]);
  });
  it("a factor for all prices reaches tiers, service tiers and tools, and leaves multipliers alone", () => {
    expect(changed(price, { ...noFactors, all: "2" })).toEqual({
      input: "6",
      cached_input: "0.6",
      output: "30",
      tiers: [{ above_input: 200_000, input: "12", output: "45" }],
      service_tiers: {
        flex: { multiplier: "0.5" },
        priority: { input: "10.2", tiers: [{ above_input: 200_000, input: "18" }] },
      },
      tools: { web_search: "0.02", image_generation: { input: "10", output: "80" } },
    });
  });
  it("a factor for a class changes that class alone", () => {
    expect(changed(price, { ...noFactors, mode: "class", all: "9", classes: { output: "1.1" } })).toEqual({
      ...price,
      output: "16.5",
      tiers: [{ above_input: 200_000, input: "6", output: "24.75" }],
    });
    expect(changed(price, { ...noFactors, mode: "class", tools: "0.5" }).tools).toEqual({
      web_search: "0.005",
      image_generation: { input: "2.5", output: "20" },
    });
  });
  it("does not touch the price that it starts from", () => {
    const before = structuredClone(price);
    changed(price, { ...noFactors, all: "3" });
    expect(price).toEqual(before);
  });
  it("needs a factor above zero that changes something", () => {
    expect([isFactor(""), isFactor("1.5"), isFactor("0"), isFactor("-1"), isFactor("x")]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([
      areFactors(noFactors),
      areFactors({ ...noFactors, all: "1.0" }),
      areFactors({ ...noFactors, all: "1.1" }),
    ]).toEqual([false, false, true]);
    expect([
      areFactors({ ...noFactors, mode: "class", classes: { input: "2", output: "x" } }),
      areFactors({ ...noFactors, mode: "class", classes: { input: "2" } }),
    ]).toEqual([false, true]);
  });
  it("leaves out models without a price", () =>
    expect(changesFor([model("a", { input: "1" }), model("b")], { ...noFactors, all: "2" })).toEqual([
      { model: "a", price: { input: "2" } },
    ]));
  it("offers the classes that the models have", () => {
    expect(usedClasses([model("a", { input: "1" }), model("b", price)])).toEqual({
      classes: ["input", "cached_input", "output"],
      tools: true,
    });
    expect(usedClasses([model("a", { request: "1" })])).toEqual({ classes: ["request"], tools: false });
  });
});
