import { describe, expect, it } from "vitest";

import { limitFaults } from "@/components/limits/limits";

import { emptyMember, patchOf, rolesFor } from "./memberForm";

describe("patchOf", () => {
  const before = { ...emptyMember, quota: "10", day: "1" };

  it("is empty if nothing changed", () => expect(patchOf(before, { ...before })).toEqual({}));

  it("removes a limit with null", () => expect(patchOf(before, { ...before, quota: " " })).toEqual({ quota: null }));

  it("contains only the budget that changed", () =>
    expect(patchOf(before, { ...before, month: "20" })).toEqual({ caps: { month: "20" } }));

  it("sends 0 for an unlimited rate", () => {
    const limited = { ...before, concurrency: 4 };
    expect(patchOf(limited, { ...limited, concurrency: "" })).toEqual({ limits: { concurrency: 0 } });
  });

  it("contains only the role if nothing else changed", () =>
    expect(patchOf(before, { ...before, role: "admin" })).toEqual({ role: "admin" }));
});

it("only owners may assign the role owner", () => {
  expect(rolesFor("owner").map((role) => role.value)).toEqual(["member", "admin", "owner"]);
  expect(rolesFor("admin").map((role) => role.value)).toEqual(["member", "admin"]);
});

it("limit fields accept amounts of USD and empty texts", () => {
  expect(limitFaults.quota("")).toBeNull();
  expect(limitFaults.day("1.000000001")).toBeNull();
  expect(limitFaults.day("1,5")).toContain("amount in USD");
});
