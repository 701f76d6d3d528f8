import { expect, it } from "vitest";

import { barsOf } from "./timing";

it("places attempts one after another within the call", () => {
  expect(barsOf([{ elapsed_ms: 25 }, { elapsed_ms: 50 }], 100)).toEqual([
    { left: 0, width: 25 },
    { left: 25, width: 50 },
  ]);
});

it("keeps bars within the call if the attempts took longer than the call", () => {
  expect(barsOf([{ elapsed_ms: 300 }], 100)).toEqual([{ left: 0, width: 100 }]);
  expect(barsOf([{ elapsed_ms: 0 }], 0)).toEqual([{ left: 0, width: 1 }]);
});
