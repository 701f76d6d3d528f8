import { expect, it } from "vitest";

import { slugFault, slugOf } from "./tenantForm";

it.each([
  ["Acme Labs", "acme-labs"],
  ["  Fils & Co.  ", "fils-co"],
  ["---", ""],
  ["a".repeat(80), "a".repeat(60)],
])("%j has the slug %j", (name, slug) => expect(slugOf(name)).toBe(slug));

it("slugFault refuses texts that are not slugs", () => {
  expect(slugFault("acme-labs")).toBeNull();
  for (const slug of ["", "-a", "a-", "A", "a b", "ä"]) expect(slugFault(slug)).not.toBeNull();
});
