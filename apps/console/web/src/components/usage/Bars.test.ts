import { expect, it } from "vitest";

import { partAt, tickPlace } from "./Bars";

it("keeps the label of the last bar within the chart", () => {
  expect(tickPlace(400, 800)).toEqual({ x: 400, textAnchor: "middle" });
  expect(tickPlace(795, 800)).toEqual({ x: 800, textAnchor: "end" });
});

it.each([
  [0, 0],
  [2.9, 0],
  [3, 2],
  [3.9, 2],
  [4, -1],
])("at the height %d is the part %d", (height, part) => expect(partAt([3, 0, 1], height)).toBe(part));
