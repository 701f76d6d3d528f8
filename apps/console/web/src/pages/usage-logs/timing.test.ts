import { expect, it } from "vitest";

import { barsOf } from "./timing";

it("lays attempts behind each other within the call", () => {
  expect(barsOf([{ elapsed_ms: 25 }, { elapsed_ms: 50 }], 100)).toEqual([{ left: 0, width: 25 }, { left: 25, width: 50 }]);
});

it("never leaves the call, whatever the clocks say", () => {
  expect(barsOf([{ elapsed_ms: 300 }], 100)).toEqual([{ left: 0, width: 100 }]);
  expect(barsOf([{ elapsed_ms: 0 }], 0)).toEqual([{ left: 0, width: 1 }]);
});
