import { describe, expect, it } from "vitest";

import { decimalUsd, parseUsd, percent, share, shortUsd, showUsd, sumUsd } from "./money";

describe("parseUsd and decimalUsd", () => {
  it.each([
    ["0", 0n],
    ["0.000000001", 1n],
    ["-1.5", -1_500_000_000n],
    ["999999999.999999999", 999_999_999_999_999_999n],
    ["12", 12_000_000_000n],
  ])("%s converts to %s nano-dollars and back", (text, nano) => {
    expect(parseUsd(text)).toBe(nano);
    expect(decimalUsd(nano)).toBe(text);
  });

  it.each(["", "1.", ".5", "1e3", "1,000", " 1", "0.0000000001", "--1", "NaN"])("parseUsd throws for %j", (text) => {
    expect(() => parseUsd(text)).toThrow(RangeError);
  });
});

describe("showUsd", () => {
  it.each([
    ["0", "$0.00"],
    ["1234567.5", "$1,234,567.50"],
    ["0.000000123", "$0.000000123"],
    ["-0.1", "−$0.10"],
    ["10", "$10.00"],
  ])("%s reads %s", (text, shown) => expect(showUsd(text)).toBe(shown));

  it("rounds half up to the given number of decimals", () => {
    expect(showUsd("0.005", 2)).toBe("$0.01");
    expect(showUsd("0.004999999", 2)).toBe("$0.00");
    expect(showUsd("999.999", 0)).toBe("$1,000");
  });
});

describe("shortUsd", () => {
  it.each([
    ["0", "$0.00"],
    ["12.3456", "$12.35"],
    ["0.01234567", "$0.0123"],
    ["0.00000042", "$0.00000042"],
  ])("%s reads %s", (text, shown) => expect(shortUsd(text)).toBe(shown));
});

it("sumUsd adds decimals exactly", () => expect(decimalUsd(sumUsd(["0.1", "0.2", "0.000000001"]))).toBe("0.300000001"));

it("share stays between 0 and 100", () => {
  expect(share(1n, 3n)).toBe(33.33);
  expect(share(5n, 3n)).toBe(100);
  expect(share(-1n, 3n)).toBe(0);
  expect(share(1n, 0n)).toBe(100);
  expect(share(0n, 0n)).toBe(0);
});

it.each([
  [1n, 8n, "12.5%"],
  [-1n, 25n, "−4%"],
  [0n, 5n, "0%"],
  [-1n, 100_000n, "0%"],
  [1n, 0n, undefined],
])("%s of %s is %s", (part, whole, text) => {
  expect(percent(part, whole)).toBe(text);
});
