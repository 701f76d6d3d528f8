import { expect, it } from "vitest";

import { dimensionsOf, overviewSearch } from "./search";

it("leaves out what it does not know", () => expect(overviewSearch({ range: "1y", measure: "spend", by: 3 })).toEqual({ range: undefined, measure: "spend", by: undefined }));

it("shows members nobody else", () => {
  expect(dimensionsOf("member")).not.toContain("user");
  expect(dimensionsOf("operator")[0]).toBe("tenant");
});
