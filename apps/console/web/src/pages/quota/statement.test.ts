import { describe, expect, it } from "vitest";

import type { Schema } from "@/api/client";
import { decimalUsd } from "@/format/money";

import { after, ahead, daysAhead, monthAt, monthOf, statementCSV } from "./statement";

const november = monthAt(Date.parse("2026-11-24T12:00:00Z"));

describe("monthOf", () => {
  it("knows the bounds in UTC, also over a year", () => {
    expect(november).toEqual({ name: "2026-11", from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" });
    expect(monthOf("2026-12")?.to).toBe("2027-01-01T00:00:00.000Z");
    expect(after(november, -11).name).toBe("2025-12");
  });

  it.each(["2026-13", "2026-00", "2026-1", "1999-12", "", "x2026-11"])("refuses %j", (text) =>
    expect(monthOf(text)).toBeUndefined(),
  );
});

describe("statementCSV", () => {
  it("writes the amounts as they are, and no formulas", () => {
    const made = {
      opening: "10.5",
      closing: "9.499999999",
      lines: [
        { at: "2026-11-12T09:00:00Z", kind: "adjustment", reason: '=cmd, "x"', amount: "-1", balance: "9.5" },
        { at: "2026-11-12T00:00:00Z", kind: "usage", reason: "", amount: "-0.000000001", balance: "9.499999999" },
      ],
    } as Schema<"Statement">;
    expect(statementCSV(made, november).split("\r\n")).toEqual([
      "time,kind,reason,amount,balance",
      "2026-11-01T00:00:00.000Z,opening_balance,,,10.5",
      `2026-11-12T09:00:00Z,adjustment,"'=cmd, ""x""",-1,9.5`,
      "2026-11-12T00:00:00Z,usage,,-0.000000001,9.499999999",
      "2026-12-01T00:00:00.000Z,closing_balance,,,9.499999999",
      "",
    ]);
  });
});

describe("ahead", () => {
  it("falls by the spend of a day until nothing is left", () => {
    const days = ahead("10", "4", Date.parse("2026-11-24T12:00:00Z"));
    expect(days).toHaveLength(daysAhead);
    expect(days.slice(0, 5).map(({ start, left }) => `${start.slice(8, 10)} ${decimalUsd(left)}`)).toEqual([
      "24 10",
      "25 8",
      "26 4",
      "27 0",
      "28 0",
    ]);
  });
});
