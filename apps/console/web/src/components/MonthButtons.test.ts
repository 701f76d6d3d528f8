import { expect, test } from "vitest";

import { monthAt } from "./MonthButtons";

test("a month begins and ends at local midnight, also over the end of a year", () => {
  const now = new Date(2027, 0, 31, 12).getTime();
  expect(monthAt(now, 0)).toEqual({ from: new Date(2027, 0, 1).toISOString(), to: new Date(2027, 1, 1).toISOString() });
  expect(monthAt(now, 1)).toEqual({
    from: new Date(2026, 11, 1).toISOString(),
    to: new Date(2027, 0, 1).toISOString(),
  });
});
