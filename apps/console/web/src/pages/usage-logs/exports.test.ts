import { expect, it } from "vitest";

import { isLive, percentOf } from "./exports";

it.each([
  ["queued", 0, null, undefined],
  ["running", 50, 200, 25],
  ["running", 300, 200, 99],
  ["succeeded", 180, 200, 100],
] as const)("%s with %d of %s is %s percent", (status, done, total, percent) =>
  expect(percentOf({ status, progress: { done, total } })).toBe(percent),
);

it("isLive returns true until the job has ended", () => {
  expect(isLive({ status: "queued" })).toBe(true);
  expect(isLive({ status: "cancelled" })).toBe(false);
});
