import { expect, it } from "vitest";

import { attributionChoices, attributionFilter, attributionRows, endUsers } from "./attribution";

const sums = (quota: string, requests: number) => ({
  quota,
  requests,
  input_tokens: 2 * requests,
  output_tokens: requests,
});
const range = { from: "2026-11-01T00:00:00Z", to: "2026-11-02T00:00:00Z" };
const usage = {
  ...range,
  items: [{ value: "ann", ...sums("0.3", 3) }],
  other: sums("0.1", 1),
  tags: [{ name: "team", ...sums("0.2", 2) }],
  other_tags: sums("0", 0),
};

it("attributionRows has the other values last, and the sum of all", () => {
  expect(attributionRows(usage)).toEqual({
    rows: [
      { value: "ann", quota: "0.3", requests: 3, tokens: 9 },
      { quota: "0.1", requests: 1, tokens: 3 },
    ],
    whole: 400_000_000n,
  });
  expect(attributionRows({ ...usage, other: sums("0", 0) }).rows).toHaveLength(1);
});

it("attributionChoices offers end users only if calls have some", () => {
  expect(attributionChoices(usage).map(({ value }) => value)).toEqual([endUsers, "team"]);
  expect(attributionChoices({ ...usage, items: [] }).map(({ value }) => value)).toEqual(["team"]);
});

it("attributionFilter finds the calls of the days of the table", () => {
  expect(attributionFilter(usage, endUsers, "ann")).toEqual({ ...range, end_user: "ann" });
  expect(attributionFilter(usage, "team", "a=b", "t1")).toEqual({ ...range, tenant: "t1", tag: "team=a=b" });
});
