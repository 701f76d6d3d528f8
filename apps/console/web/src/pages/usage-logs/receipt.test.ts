import { expect, it } from "vitest";

import type { Schema } from "@/api/client";

import { chargesOf, multiply, roundToNano, same, showExact } from "./receipt";

type Attempt = Schema<"Attempt">;

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

it("chargesOf lists failed attempts, and an answer only if it has no receipt", () => {
  const attempt = (channel: string, served: boolean, supplier_cost?: string) =>
    ({ channel, served, elapsed_ms: 1, ...(supplier_cost && { supplier_cost }) }) as Attempt;
  const attempts = [attempt("main", false, "0.5"), attempt("spare", false), attempt("last", true, "0.25")];
  const supplier_receipt = { lines: [], subtotal: "0.25", multiplier: "1", total: "0.25" };
  expect(chargesOf({ attempts, supplier_receipt })).toEqual([{ name: "1. main, failed", amount: "0.5" }]);
  expect(chargesOf({ attempts })).toEqual([
    { name: "1. main, failed", amount: "0.5" },
    { name: "3. last, as reported by the upstream", amount: "0.25" },
  ]);
});
