import { describe, expect, it } from "vitest";

import { rateLabel } from "./rateLabel";
import { confirmWarning, selectedOf, showPercent, toggle, unconfirmed } from "./selection";
import { difference } from "./testing";

const large = difference("large", "acme/large", ["large_rise", "unverified"]);
const other = difference("large", "other/large");
const small = difference("small", "acme/small");
const all = [large, other, small];

describe("the selection of prices", () => {
  it("has at most one entry for a model", () => {
    const selection = toggle(toggle(toggle({}, large), small), other);
    expect(selectedOf(selection, all).map(({ entry }) => entry)).toEqual(["other/large", "acme/small"]);
    expect(selectedOf(toggle(selection, other), all).map(({ entry }) => entry)).toEqual(["acme/small"]);
  });
  it("is not ready until each warning of each selected price is confirmed", () => {
    let selection = toggle({}, large);
    expect(unconfirmed(selection, all)).toBe(2);
    selection = confirmWarning(selection, large, "unverified");
    expect(unconfirmed(selection, all)).toBe(1);
    selection = confirmWarning(selection, large, "large_rise");
    expect(unconfirmed(selection, all)).toBe(0);
    expect(selectedOf(selection, all)).toEqual([
      { model: "large", entry: "acme/large", price_id: "p", confirm: ["unverified", "large_rise"] },
    ]);
    expect(unconfirmed(confirmWarning(selection, large, "unverified"), all)).toBe(1);
  });
  it("loses its confirmations when the price is deselected", () => {
    const selection = toggle(toggle(confirmWarning(toggle({}, large), large, "unverified"), large), large);
    expect(unconfirmed(selection, all)).toBe(2);
  });
  it("shows per cent with their sign", () => {
    expect([12.5, -50, 0].map(showPercent)).toEqual(["+12.5%", "−50%", undefined]);
  });
});

it.each([
  ["cache_write_1h", "Cache write, 1 hour"],
  ["tiers[200000].output", "Output above 200,000"],
  ["service_tiers.flex.multiplier", "Multiplier with flex"],
  ["service_tiers.priority.tiers[5].cached_input", "Cached input with priority, above 5"],
  ["tools.web_search", "Web search"],
  ["tools.image_generation.image_input", "Image generation, images in"],
  ["a_new_one", "a new one"],
])("%s is labeled %s", (rate, label) => expect(rateLabel(rate)).toBe(label));
