import { afterEach, expect, it } from "vitest";

import { anyUnsaved, discardUnsaved, losesUnsaved } from "./unsaved";

afterEach(discardUnsaved);

it("nothing is lost without forms", () => {
  expect(anyUnsaved()).toBe(false);
  for (const action of ["PUSH", "REPLACE", "BACK", "FORWARD", "GO"] as const) expect(losesUnsaved(action)).toBe(false);
});

it("anyUnsaved asks the forms that it is given", () => {
  expect(anyUnsaved(new Set([() => false]))).toBe(false);
  expect(anyUnsaved(new Set([() => false, () => true]))).toBe(true);
});
