import { expect, it } from "vitest";

import { countNew, grow, idAt, mergeNewest, mostRows } from "./live";

const row = (id: string) => ({ id });
const known = { rows: [row("b"), row("a")], next: "cursor", pageAt: 1 };

it("idAt is the smallest id of its moment", () => {
  expect(idAt(Date.parse("2026-01-01T00:00:00Z"))).toBe("019b76da-a800-7000-8000-000000000000");
  expect(idAt(5) > idAt(4)).toBe(true);
});

it("mergeNewest sorts late rows in, without duplicates", () => {
  expect(mergeNewest([row("c"), row("a")], [row("b"), row("c")])).toEqual([row("c"), row("b"), row("a")]);
});

it("grow keeps the cursor of the older rows", () => {
  expect(grow(known, [row("c"), row("b")], true)).toEqual({
    rows: [row("c"), row("b"), row("a")],
    next: "cursor",
    pageAt: 1,
  });
});

it("grow asks for a whole page when rows may be missing, or when the list is too long", () => {
  expect(grow(known, [row("d")], false)).toBeUndefined();
  expect(
    grow(
      known,
      Array.from({ length: mostRows }, (_, i) => row(`n${i}`)),
      true,
    ),
  ).toBeUndefined();
});

it("countNew counts the rows that are not shown", () => expect(countNew([row("a")], [row("b"), row("a")])).toBe(1));
