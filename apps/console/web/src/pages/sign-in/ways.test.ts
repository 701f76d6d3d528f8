import { expect, it } from "vitest";

import { departure, destination, reasonOf, secretOf } from "./ways";

it.each([
  ["/usage-logs?model=a", "/usage-logs?model=a"],
  [undefined, "/"],
  ["", "/"],
  ["https://evil.example", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["javascript:alert(1)", "/"],
])("after a sign-in for %j comes %j", (to, page) => expect(destination(to)).toBe(page));

it("has a text for every word", () => {
  expect(reasonOf(undefined)).toBeUndefined();
  expect(reasonOf("unknown")).toContain("invite");
  expect(reasonOf("constructor")).toContain("failed");
});

it("reads the secret of a link", () => {
  expect(secretOf("#abc-_1")).toBe("abc-_1");
  expect(secretOf("#")).toBeUndefined();
  expect(secretOf("")).toBeUndefined();
});

it("comes back to the page", () => expect(departure("/api/session/oidc", "/a?b=c&d")).toBe("/api/session/oidc?return=%2Fa%3Fb%3Dc%26d"));
