import { describe, expect, it } from "vitest";

import type { Schema } from "@/api/client";
import { decimalUsd, parseUsd } from "@/format/money";

import { after, ahead, daysAhead, monthAt, monthOf, statement, statementCSV } from "./statement";

const november = monthAt(Date.parse("2026-11-24T12:00:00Z"));

const entry = (created_at: string, amount: string, reason = "paid") =>
  ({
    id: created_at,
    created_at,
    kind: amount.startsWith("-") ? "adjustment" : "grant",
    amount,
    reason,
  }) as Schema<"LedgerEntry">;
const usage = (start: string, quota: string) => ({ start, quota }) as Schema<"UsageSummaryRow">;

describe("monthOf", () => {
  it("knows the bounds in UTC, also over a year", () => {
    expect(november).toEqual({ name: "2026-11", from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" });
    expect(monthOf("2026-12")?.to).toBe("2027-01-01T00:00:00.000Z");
    expect(after(november, -11).name).toBe("2025-12");
  });

  it.each(["2026-13", "2026-00", "2026-1", "", "x2026-11"])("refuses %j", (text) =>
    expect(monthOf(text)).toBeUndefined(),
  );
});

describe("statement", () => {
  const entries = [
    entry("2026-12-02T09:00:00Z", "5"),
    entry("2026-11-10T09:00:00Z", "20"),
    entry("2026-11-12T09:00:00Z", "-1", '=cmd, "x"'),
  ];
  const used = [
    usage("2026-11-10T00:00:00Z", "2.5"),
    usage("2026-11-30T00:00:00Z", "0.000000001"),
    usage("2026-12-01T00:00:00Z", "1"),
    usage("2026-11-11T00:00:00Z", "0"),
  ];
  const made = statement(november, "30.999999999", entries, used); // the balance now, in December

  it("computes the balances of the month back from the balance now", () => {
    expect(decimalUsd(made.closing)).toBe("26.999999999");
    expect(decimalUsd(made.opening)).toBe("10.5");
    expect(decimalUsd(made.granted)).toBe("19");
    expect(decimalUsd(made.used)).toBe("2.500000001");
  });

  it("has a running balance, with the usage of a day after its grants, and no lines of zero", () => {
    expect(made.lines.map(({ kind, balance }) => `${kind} ${decimalUsd(balance)}`)).toEqual([
      "grant 30.5",
      "usage 28",
      "adjustment 27",
      "usage 26.999999999",
    ]);
    expect(made.lines.at(-1)?.balance).toBe(made.closing);
  });

  it("writes exact amounts as CSV, and no formulas", () => {
    const lines = statementCSV(made, november).split("\r\n");
    expect(lines[0]).toBe("time,kind,reason,amount,balance");
    expect(lines[1]).toBe("2026-11-01T00:00:00.000Z,opening_balance,,,10.5");
    expect(lines[4]).toBe(`2026-11-12T09:00:00Z,adjustment,"'=cmd, ""x""",-1,27`);
    expect(lines.at(-2)).toBe("2026-12-01T00:00:00.000Z,closing_balance,,,26.999999999");
  });

  it("has no lines without changes", () => {
    expect(statement(november, "3", [], [])).toEqual({
      opening: parseUsd("3"),
      granted: 0n,
      used: 0n,
      closing: parseUsd("3"),
      lines: [],
    });
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
