import { expect, it } from "vitest";

import { claimOf, departure, destination, domainOf, reasonOf, secretOf, slugOf } from "./ways";

it.each([
  ["/usage-logs?model=a", "/usage-logs?model=a"],
  [undefined, "/"],
  ["", "/"],
  ["https://evil.example", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["javascript:alert(1)", "/"],
])("destination turns %j into %j", (to, page) => expect(destination(to)).toBe(page));

it("reasonOf returns a text for known and unknown codes", () => {
  expect(reasonOf(undefined)).toBeUndefined();
  expect(reasonOf("unknown")).toContain("invite");
  expect(reasonOf("constructor")).toContain("failed");
});

it("reasonOf names the claim that is missing", () => {
  expect(reasonOf("no_email")).toContain("“email”");
  expect(reasonOf("unverified")).toContain("email_verified");
  expect(reasonOf("requirement", "hd")).toContain("the claim “hd”");
  expect(reasonOf("requirement")).toContain("a claim");
  expect(reasonOf("unknown", "hd")).not.toContain("hd");
});

it.each([
  ["hd", "hd"],
  ["xms_edov", "xms_edov"],
  ["https://acme.example/roles", undefined],
  ["hd: call +1 555 0100", undefined],
  ["a".repeat(41), undefined],
  ["", undefined],
  [null, undefined],
])("claimOf(%j) is %j", (text, claim) => expect(claimOf(text)).toBe(claim));

it("secretOf reads the secret from the fragment", () => {
  expect(secretOf("#abc-_1")).toBe("abc-_1");
  expect(secretOf("#")).toBeUndefined();
  expect(secretOf("")).toBeUndefined();
});

it("departure contains the page to return to", () =>
  expect(departure("/api/session/oidc", "/a?b=c&d")).toBe("/api/session/oidc?return=%2Fa%3Fb%3Dc%26d"));

it("departure names the tenant", () =>
  expect(departure("/api/session/oidc", "/", { tenant: "acme" })).toBe("/api/session/oidc?return=%2F&tenant=acme"));

it.each([
  ["acme", "acme"],
  ["a-1", "a-1"],
  [null, undefined],
  ["", undefined],
  ["Acme", undefined],
  ["acme: call +1 555 0100", undefined],
  ["a".repeat(64), undefined],
])("slugOf(%j) is %j", (text, slug) => expect(slugOf(text)).toBe(slug));

it.each([
  ["me@acme.example", "acme.example"],
  [" me@acme.example ", "acme.example"],
  ["me", undefined],
  ["me@", undefined],
  ["a@b@c", undefined],
])("domainOf(%j) is %j", (address, domain) => expect(domainOf(address)).toBe(domain));
