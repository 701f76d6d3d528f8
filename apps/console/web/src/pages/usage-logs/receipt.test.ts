import { expect, it } from "vitest";

import { multiply, roundToNano, same, showExact } from "./receipt";

it.each([
  ["0.0001851", "1.2", "0.00022212"],
  ["0.000000000000001", "3", "0.000000000000003"],
  ["10", "0", "0"],
])("%s x %s is %s", (a, b, product) => expect(multiply(a, b)).toBe(product));

it.each([
  ["0.0000000005", "0.000000001"],
  ["0.00000000049", "0"],
  ["1.5", "1.5"],
])("%s rounds to %s", (exact, rounded) => expect(roundToNano(exact)).toBe(rounded));

it("same ignores trailing zeros", () => expect(same("1.50", "1.5")).toBe(true));

it("showExact shows all decimals", () => expect(showExact("1234.0000000000005")).toBe("$1,234.0000000000005"));
