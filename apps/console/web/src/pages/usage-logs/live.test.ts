import { expect, it } from "vitest";

import { countNew, idAt, mergeNewest } from "./live";

const row = (id: string) => ({ id });

it("idAt returns the smallest id of a moment", () => expect(idAt(Date.parse("2026-01-01T00:00:00Z"))).toBe("019b76da-a800-7000-8000-000000000000"));

it("orders ids by time", () => expect(idAt(1_000) < idAt(2_000)).toBe(true));

it("mergeNewest sorts late rows in, without duplicates", () => {
  expect(mergeNewest([row("c"), row("a")], [row("b"), row("c")], 10)).toEqual([row("c"), row("b"), row("a")]);
});

it("mergeNewest drops the oldest rows", () => expect(mergeNewest([row("b"), row("a")], [row("c")], 2)).toEqual([row("c"), row("b")]));

it("countNew counts the rows that are not shown", () => expect(countNew([row("a")], [row("b"), row("a")])).toBe(1));
