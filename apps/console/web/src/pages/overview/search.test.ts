import { expect, it } from "vitest";

import { dimensionsOf, overviewSearch } from "./search";

it("overviewSearch drops unknown values", () => expect(overviewSearch({ range: "1y", measure: "spend", by: 3 })).toEqual({ range: undefined, measure: "spend", by: undefined }));

it("dimensionsOf does not offer users to members", () => {
  expect(dimensionsOf("member")).not.toContain("user");
  expect(dimensionsOf("operator")[0]).toBe("tenant");
});
