import { expect, it } from "vitest";

import { divide, toneOf } from "./share";

it("divides the granted quota into used, leased and free", () => {
  expect(divide({ granted: "10", used: "2.5", leased: "1" })).toEqual({
    granted: 10_000_000_000n,
    used: 2_500_000_000n,
    leased: 1_000_000_000n,
    free: 6_500_000_000n,
    usedShare: 25,
    leasedShare: 10,
  });
});

it("divide returns null for an unlimited quota", () =>
  expect(divide({ granted: null, used: "1", leased: "0" })).toBeNull());

it("reports 0 free if the quota is overdrawn", () => {
  const division = divide({ granted: "1", used: "3", leased: "1" });
  expect(division).toMatchObject({ free: 0n, usedShare: 100, leasedShare: 0 });
});

it.each([
  ["0", "0", "calm"],
  ["10", "7.99", "calm"],
  ["10", "8", "low"],
  ["10", "9.5", "out"],
])("with %s granted and %s used, the color class is %s", (granted, used, tone) => {
  const division = divide({ granted, used, leased: "0" });
  expect(division && toneOf(division)).toBe(tone);
});
