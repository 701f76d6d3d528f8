import { expect, it } from "vitest";

import { dimensionsOf } from "./query";
import { only, overviewSearch } from "./search";

it("overviewSearch drops unknown values", () =>
  expect(overviewSearch({ range: "1y", measure: "spend", by: 3, tag: "team" })).toMatchObject({
    range: undefined,
    measure: "spend",
    by: undefined,
    tag: "team",
  }));

it("dimensionsOf does not offer users to members", () => {
  expect(dimensionsOf("member")).not.toContain("user");
  expect(dimensionsOf("operator")[0]).toBe("tenant");
});

it("dimensionsOf offers what a filter leaves open", () => {
  expect(dimensionsOf("owner", { model: "gpt-4o" })).toEqual(["token", "user"]);
  expect(dimensionsOf("operator", { tenant: "t" })).toEqual(["model", "channel", "token", "user"]);
});

it("only has no filter for usage without a channel", () => {
  expect(only("channel", "00000000-0000-0000-0000-000000000000")).toEqual({});
  expect(only("channel", "")).toEqual({});
  expect(only("model", "gpt-4o")).toEqual({ model: "gpt-4o" });
});
