import { expect, test } from "vitest";

import { blank, newAccessKey, rules, scopesFor } from "./accessKeyForm";

const now = Date.parse("2026-03-01T00:00:00Z");

test("a key may have only the scopes of its user's role", () => {
  const offered = (role: Parameters<typeof scopesFor>[0]) => scopesFor(role).map(({ value }) => value);
  expect(offered("member")).toEqual(["usage:read", "tokens:read", "tokens:write", "catalog:read"]);
  expect(offered("owner")).toContain("members:read");
  expect(offered("owner")).not.toContain("billing:write");
  expect(offered("operator")).toContain("billing:write");
});

test("a limit is required with billing:write, and sent with no other scope", () => {
  const billing = { ...blank, name: " ci ", scopes: ["billing:write" as const], limit: "12.50", days: "7" };
  expect(rules.limit("", billing)).not.toBeNull();
  expect(rules.limit("12.50", billing)).toBeNull();
  expect(newAccessKey(billing, now)).toEqual({
    name: "ci",
    scopes: ["billing:write"],
    addresses: [],
    grant_limit: "12.50",
    expires_at: "2026-03-08T00:00:00.000Z",
  });
  const reading = { ...billing, scopes: ["usage:read" as const], limit: "" };
  expect(rules.limit("", reading)).toBeNull();
  expect(newAccessKey(reading, now)).not.toHaveProperty("grant_limit");
});

test("a key without scopes is refused", () => {
  expect(rules.scopes([])).not.toBeNull();
  expect(rules.scopes(blank.scopes)).toBeNull();
});
