import { beforeAll, describe, expect, it } from "vitest";

import { chooseLanguage } from "@/locale/messages";

import { describeThresholds, kindsFor, parseThresholds } from "./kinds";

beforeAll(() => chooseLanguage("en"));

describe("parseThresholds", () => {
  it("accepts whole numbers in the range of the kind", () => {
    expect(parseThresholds("quota_used", ["50", "100"])).toEqual({ values: [50, 100], fault: null });
    expect(parseThresholds("drift", [])).toEqual({ values: [], fault: null });
  });

  it.each([
    ["quota_used", ["0"]],
    ["quota_used", ["101"]],
    ["quota_used", ["a"]],
    ["quota_used", ["1.5"]],
    ["quota_used", []],
    ["run_out", ["91"]],
    ["spool", Array.from({ length: 9 }, (_, i) => String(i + 1))],
  ] as const)("refuses %s with %j", (kind, typed) => expect(parseThresholds(kind, [...typed]).fault).not.toBeNull());
});

describe("kindsFor", () => {
  it("offers the kinds of the platform to operators only", () => {
    expect(kindsFor(false)).toEqual(["quota_used", "run_out", "unusual_spend"]);
    expect(kindsFor(true)).toContain("drift");
  });
});

describe("describeThresholds", () => {
  it("names the unit of the kind", () => {
    expect(describeThresholds({ kind: "quota_used", thresholds: [50, 80] })).toBe("50%, 80%");
    expect(describeThresholds({ kind: "run_out", thresholds: [1, 7] })).toBe("1 day, 7 days");
  });
});
