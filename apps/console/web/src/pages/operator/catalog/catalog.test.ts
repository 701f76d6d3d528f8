import { describe, expect, it } from "vitest";

import { coversAny, unusedPatterns } from "./patterns";
import { showExact } from "@/format/money";

import {
  changesOf,
  chargesSomething,
  multiplierMeans,
  percentOf,
  priceFault,
  priceOf,
  priceValues,
  ratesOf,
  rateValues,
  times,
} from "./rates";
import { fetchAll } from "./queries";
import { whenFault } from "./when";

it("patterns cover all models, prefixes or single models", () => {
  expect(coversAny(["*"], "a")).toBe(true);
  expect([coversAny(["gpt-*"], "gpt-4o"), coversAny(["gpt-*"], "o1"), coversAny(["o1"], "o1-mini")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(unusedPatterns(["gpt-*", "x"], ["gpt-4o"])).toEqual(["x"]);
});

describe("prices", () => {
  it("contain the filled fields only", () => {
    expect(ratesOf({ ...rateValues({ input: "0.15" }), output: " 0.6 " })).toEqual({ input: "0.15", output: "0.6" });
    expect([
      chargesSomething({}),
      chargesSomething({ input: "0" }),
      chargesSomething({ request: "0.000000001" }),
    ]).toEqual([false, false, true]);
  });
  it("are compared by class, with direction and percent", () => {
    expect(changesOf({ input: "0.20", output: "1" }, { input: "0.25", output: "1.0", request: "0.1" })).toEqual([
      { name: "input", label: "Input", before: "0.20", after: "0.25", direction: "up", percent: "+25%" },
      { name: "request", label: "Per request", before: undefined, after: "0.1", direction: "up", percent: undefined },
    ]);
  });
  it("have tiers with thresholds in ascending order", () => {
    const price = {
      input: "3",
      tiers: [
        { above_input: 200_000, input: "6" },
        { above_input: 1_000_000, output: "0" },
      ],
    };
    const values = priceValues(price);
    expect(priceOf(values)).toEqual(price);
    expect(priceFault(values)).toBeUndefined();
    expect(priceFault({ ...values, tiers: values.tiers.toReversed() })).toMatch(/ascending/);
    expect(priceFault({ ...values, tiers: [{ above: "", rates: rateValues({ input: "1" }) }] })).toMatch(
      /Enter the input tokens/,
    );
    expect(priceFault({ ...values, tiers: [{ above: 1, rates: rateValues(undefined) }] })).toMatch(
      /at least one price/,
    );
    expect([
      chargesSomething({ tiers: [{ above_input: 1, output: "1" }] }),
      chargesSomething({ tiers: [{ above_input: 1, output: "0" }] }),
    ]).toEqual([true, false]);
  });
  it("are compared by tier, with what applies where a tier does not name a class", () => {
    expect(
      changesOf(
        { input: "3", cached_input: "0.3" },
        { input: "3", cached_input: "0.3", tiers: [{ above_input: 200_000, input: "6" }] },
      ),
    ).toEqual([
      {
        name: "input above 200000",
        label: "Input above 200,000",
        before: undefined,
        after: "6",
        direction: "up",
        percent: undefined,
      },
    ]);
    expect(changesOf({ input: "3", tiers: [{ above_input: 9, input: "6" }] }, { input: "3" })[0]).toMatchObject({
      before: "6",
      after: undefined,
      direction: "down",
    });
  });
  it("have service tiers, by a multiplier or with rates of their own, and tools", () => {
    const price = {
      input: "3",
      service_tiers: {
        flex: { multiplier: "0.5" },
        priority: { input: "6", tiers: [{ above_input: 9, input: "12" }] },
      },
      tools: { web_search: "0.01", image_generation: { output: "40" } },
    };
    const values = priceValues(price);
    expect(priceOf(values)).toEqual(price);
    expect(priceFault(values)).toBeUndefined();
    const service = { name: "fast", multiplier: "2", rates: rateValues(undefined), tiers: [] };
    const withService = (change: object) =>
      priceFault({ ...values, services: [{ ...service, ...change }] }) === undefined;
    expect(
      [
        {},
        { name: "default" },
        { name: "Fast" },
        { multiplier: "0" },
        { multiplier: "" },
        { multiplier: undefined },
        { multiplier: undefined, rates: rateValues({ input: "1" }) },
      ].map(withService),
    ).toEqual([true, false, false, false, false, false, true]);
    expect(priceFault({ ...values, services: [service, service] })).toMatch(/different name/);
    expect(
      priceFault({
        ...values,
        tiers: [{ above: 5, rates: rateValues({ input: "4" }) }],
        services: [{ ...service, multiplier: undefined, rates: rateValues({ input: "1" }) }],
      }),
    ).toMatch(/Add tiers/);
    expect(priceFault({ ...values, tools: { ...values.tools, web_search: "x" } })).toMatch(/amounts/);
    expect([
      chargesSomething({ tools: { web_search: "0.01" } }),
      chargesSomething({ service_tiers: { flex: { input: "1" } } }),
      chargesSomething({ service_tiers: { flex: { multiplier: "1" } } }),
    ]).toEqual([true, true, false]);
  });
  it("are compared by service tier and tool", () => {
    expect(
      changesOf(
        { input: "3", service_tiers: { flex: { multiplier: "0.5" } } },
        {
          input: "3",
          service_tiers: { flex: { multiplier: "0.6" }, fast: { input: "2" } },
          tools: { web_search: "0.01" },
        },
      ),
    ).toEqual([
      {
        name: "input fast",
        label: "Input with fast",
        before: undefined,
        after: "2",
        direction: "down",
        percent: undefined,
      },
      {
        name: "multiplier flex",
        label: "Multiplier with flex",
        before: "0.5",
        after: "0.6",
        direction: "up",
        percent: "+20%",
        factor: true,
      },
      {
        name: "web_search",
        label: "Web search",
        before: undefined,
        after: "0.01",
        direction: "up",
        percent: undefined,
      },
    ]);
    expect(
      changesOf(
        { input: "3", service_tiers: { flex: { input: "1" } } },
        { input: "3", service_tiers: { flex: { multiplier: "0.5" } } },
      ).map(({ name, direction }) => [name, direction]),
    ).toEqual([
      ["multiplier flex", "down"],
      ["input flex", "up"],
    ]);
  });
  it("fall back to the base class if a class has no price", () => {
    expect(changesOf({ input: "1", cached_input: "0.5" }, { input: "1" })[0]).toMatchObject({
      name: "cached_input",
      direction: "up",
    });
    expect(changesOf({ input: "1" }, { input: "1", cached_input: "0.5" })[0]).toMatchObject({ direction: "down" });
  });
  it.each([
    ["1", "0.85", "−15%"],
    ["0.14", "0.12", "−14.3%"],
    ["1", "1", "±0%"],
    ["1000", "1000.000000001", "+<0.1%"],
    ["1", "3", "+200%"],
  ])("from %s to %s is a change of %s", (a, b, percent) => expect(percentOf(a, b)).toBe(percent));
  it("are multiplied exactly", () => {
    expect(times("0.14", "0.85")).toBe("0.119");
    expect(times("0.000000001", "0.000000001")).toBe("0.000000000000000001");
    expect(times("123456.789", "1")).toBe("123456.789");
    expect([showExact("0.1275"), showExact("0.0000000005")]).toEqual(["$0.1275", "$0.0000000005"]);
  });
  it("multiplierMeans describes multipliers in words", () =>
    expect(["1", "0", "0.85", "1.2"].map(multiplierMeans)).toEqual([
      "Users pay the model’s price",
      "Users pay nothing",
      "Users pay 15% less than the model’s price",
      "Users pay 20% more than the model’s price",
    ]));
});

it("a list of the catalog is read to its end or to the maximum", async () => {
  const pages = [
    { items: [1, 2], next: "a" },
    { items: [3], next: "" },
  ];
  expect(await fetchAll(() => Promise.resolve(pages.shift() ?? { items: [], next: "" }))).toEqual({
    items: [1, 2, 3],
    more: false,
  });
  const endless = await fetchAll(() =>
    Promise.resolve({ items: Array.from({ length: 200 }, (_, i) => i), next: "more" }),
  );
  expect([endless.items.length, endless.more]).toEqual([1000, true]);
});

it("whenFault accepts now and future moments only", () => {
  const now = new Date(2026, 0, 2, 12).getTime();
  expect([whenFault(null, now), whenFault("2026-01-02 12:01:00", now), whenFault("2026-01-02 11:59:00", now)]).toEqual([
    null,
    null,
    "Choose a time in the future.",
  ]);
});
