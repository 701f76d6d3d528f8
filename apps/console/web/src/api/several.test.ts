import { expect, it } from "vitest";

import { several } from "./several";

it("calls for each item once, with a bound, and keeps the order", async () => {
  let running = 0;
  let peak = 0;
  const done = await several([5, 1, 4, 2, 3, 0], async (n) => {
    running++;
    peak = Math.max(peak, running);
    await new Promise((resolve) => setTimeout(resolve, n));
    running--;
    return n * 2;
  });
  expect(done).toEqual([10, 2, 8, 4, 6, 0]);
  expect(peak).toBe(4);
});

it("fails with the first failure, and has nothing to do for no items", async () => {
  await expect(several([1, 2], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await several([], () => Promise.reject(new Error("no")))).toEqual([]);
});
