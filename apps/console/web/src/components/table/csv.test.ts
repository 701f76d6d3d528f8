import { describe, expect, it } from "vitest";

import { csvCell, csvOf } from "./csv";

describe("csvCell", () => {
  it.each([
    ["plain", "plain"],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\r\nlines", "two  lines"],
    [" padded ", '" padded "'],
    [null, ""],
    [undefined, ""],
    [0, "0"],
    [false, "false"],
    ["-1.50", "-1.50"],
    [-3, "-3"],
  ])("%j becomes %j", (value, cell) => expect(csvCell(value)).toBe(cell));

  it("writes amounts of any size", () => expect(csvCell(12n)).toBe("12"));

  it.each(["=1+1", "+1 555", "-2+3", "@SUM(A1)", "\t=1", "  =1", "＝1", "＋1", "－1", "＠x", '=HYPERLINK("http://x")'])(
    "%j is no formula",
    (text) => {
      expect(csvCell(text).replace(/^"/, "")).toMatch(/^'/);
    },
  );
});

it("csvOf begins with a byte order mark and ends lines as RFC 4180 has them", () =>
  expect(
    csvOf(
      ["a", "b"],
      [
        [1, "x"],
        [null, "y"],
      ],
    ),
  ).toBe("\uFEFFa,b\r\n1,x\r\n,y\r\n"));
