import { describe, expect, it } from "vitest";

import { blank, newToken, stateOf, tokenPatch } from "./form";

describe("newToken", () => {
  it("sends null or 0 for empty limits", () => {
    expect(newToken({ ...blank, name: " ci " })).toEqual({
      name: "ci",
      models: [],
      addresses: [],
      expires_at: null,
      quota: null,
      caps: { day: null, week: null, month: null },
      limits: { requests_per_minute: 0, tokens_per_minute: 0, concurrency: 0 },
    });
  });
  it("contains the owner if another user was chosen", () =>
    expect(newToken({ ...blank, name: "a", user: "u" }).user_id).toBe("u"));
});

describe("tokenPatch", () => {
  const before = { ...blank, name: "ci", quota: "5", day: "1" };
  it("is empty if nothing changed", () => expect(tokenPatch(before, { ...before })).toEqual({}));
  it("removes a limit with null", () => expect(tokenPatch(before, { ...before, quota: "" })).toEqual({ quota: null }));
  it("contains only the budget that changed", () =>
    expect(tokenPatch(before, { ...before, week: "3" })).toEqual({ caps: { week: "3" } }));
});

it.each([
  ["enabled", null, "enabled"],
  ["enabled", "2026-01-01T00:00:00Z", "expired"],
  ["disabled", "2026-01-03T00:00:00Z", "disabled"],
  ["revoked", "2026-01-01T00:00:00Z", "revoked"],
] as const)("%s until %s is %s", (status, expires_at, state) =>
  expect(stateOf({ status, expires_at }, Date.parse("2026-01-02T00:00:00Z"))).toBe(state),
);
