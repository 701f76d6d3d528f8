import { expect, it } from "vitest";

import { marginsOf } from "./margins";

const channel = (
  name: string,
  classes: {
    class: string;
    price: string;
    cost: string;
    margin: string;
    above_input?: number;
    service_tier?: string;
  }[],
  known = true,
) => ({ channel_id: name, channel: name, known, classes });

it("margins are lines of each channel, with losses and the lowest one", () => {
  const found = marginsOf({
    channels: [
      channel("main", [
        { class: "input", price: "1", cost: "0.9", margin: "0.1" },
        { class: "output", price: "4", cost: "5", margin: "-1", above_input: 200_000, service_tier: "flex" },
      ]),
      channel("spare", [], false),
    ],
  });
  expect(found.lines.map(({ label, percent, loss }) => [label, percent, loss])).toEqual([
    ["Input", "10%", false],
    ["Output with flex, above 200,000", "−25%", true],
  ]);
  expect(found.losses).toHaveLength(1);
  expect(found.lowest).toMatchObject({ channel: "main", margin: "-1" });
  expect(found.unknown).toEqual(["spare"]);
});

it("a class that is given away at a cost is the worst, and one without price and cost says nothing", () => {
  const found = marginsOf({
    channels: [
      channel("main", [
        { class: "input", price: "1", cost: "3", margin: "-2" },
        { class: "output", price: "0", cost: "1", margin: "-1" },
        { class: "request", price: "0", cost: "0", margin: "0" },
      ]),
    ],
  });
  expect(found.lowest).toMatchObject({ label: "Output", percent: undefined });
  expect(marginsOf({ channels: [] })).toEqual({ lines: [], losses: [], lowest: undefined, unknown: [] });
});
