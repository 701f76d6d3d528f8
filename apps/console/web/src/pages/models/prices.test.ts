import { expect, it } from "vitest";

import { columnsOf, tokenRows, toolRows } from "./prices";

const prices = (all: Record<string, string>) => Object.entries(all).map(([name, price]) => ({ class: name, price }));

const model = {
  effective: prices({
    input: "3",
    cached_input: "0.3",
    cache_write: "3",
    output: "15",
    reasoning: "15",
    web_search: "0.01",
  }),
  effective_tiers: [
    {
      above_input: 200_000,
      prices: prices({
        input: "6",
        cached_input: "0.6",
        cache_write: "6",
        output: "22.5",
        reasoning: "22.5",
        web_search: "0.01",
      }),
    },
  ],
  effective_service_tiers: [
    {
      name: "flex",
      prices: prices({ input: "1.5", cached_input: "0.15", cache_write: "1.5", output: "7.5", reasoning: "7.5" }),
      tiers: [{ above_input: 200_000, prices: prices({ input: "3" }) }],
    },
  ],
};

it("a price table has a column for each kind of call with prices of its own", () => {
  expect(columnsOf(model).map(({ header }) => header)).toEqual([
    "Standard",
    "Above 200,000 input tokens",
    "Service tier flex",
    "Service tier flex, above 200,000 input tokens",
  ]);
  expect(columnsOf({ ...model, effective_tiers: [], effective_service_tiers: [] }).map(({ header }) => header)).toEqual(
    ["Price"],
  );
});

it("a class that costs what its base class costs has no row", () => {
  expect(tokenRows(columnsOf({ ...model, effective_service_tiers: [] }))).toEqual([
    { name: "input", cells: ["3", "6"] },
    { name: "cached_input", cells: ["0.3", "0.6"] },
    { name: "output", cells: ["15", "22.5"] },
  ]);
  // The last tier has no price for it.
  expect(tokenRows(columnsOf(model)).map(({ name }) => name)).toContain("cache_write");
});

it("tools have one price for all calls", () =>
  expect(toolRows(columnsOf(model))).toEqual([{ name: "web_search", cells: ["0.01"] }]));
