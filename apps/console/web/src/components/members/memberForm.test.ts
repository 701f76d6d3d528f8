import { describe, expect, it } from "vitest";

import { limitFaults } from "@/components/limits/limits";

import { emptyMember, patchOf, rolesFor } from "./memberForm";

describe("patchOf", () => {
  const before = { ...emptyMember, quota: "10", day: "1" };

  it("is empty where nothing changed", () => expect(patchOf(before, { ...before })).toEqual({}));

  it("takes a limit away with null", () => expect(patchOf(before, { ...before, quota: " " })).toEqual({ quota: null }));

  it("names all windows where one changed", () =>
    expect(patchOf(before, { ...before, month: "20" })).toEqual({ caps: { day: "1", week: null, month: "20" } }));

  it("says 0 for no limit", () =>
    expect(patchOf(before, { ...before, concurrency: 4 })).toEqual({ limits: { requests_per_minute: 0, tokens_per_minute: 0, concurrency: 4 } }));

  it("changes the role alone", () => expect(patchOf(before, { ...before, role: "admin" })).toEqual({ role: "admin" }));
});

it("lets owners alone make owners", () => {
  expect(rolesFor("owner").map((role) => role.value)).toEqual(["member", "admin", "owner"]);
  expect(rolesFor("admin").map((role) => role.value)).toEqual(["member", "admin"]);
});

it("asks for amounts of USD, or none", () => {
  expect(limitFaults.quota("")).toBeNull();
  expect(limitFaults.day("1.000000001")).toBeNull();
  expect(limitFaults.day("1,5")).toContain("amount of USD");
});
