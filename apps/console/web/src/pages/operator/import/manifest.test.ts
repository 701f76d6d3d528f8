import { expect, it } from "vitest";

import { summaryOf, shownFaults, startOf } from "./manifest";

const manifest = "a: 1\r\nb: 2\nc: 3\nd: 4";

it("faults are ordered by line, each with the lines around it", () => {
  const shown = shownFaults(
    [
      { line: 3, key: "c", text: "no" },
      { line: 0, key: "", text: "all" },
      { line: 99, key: "", text: "beyond" },
    ],
    manifest,
  );
  expect(shown.map(({ fault, lines }) => [fault.line, lines.map(({ number }) => number)])).toEqual([
    [0, []],
    [3, [1, 2, 3, 4]],
    [99, []],
  ]);
  expect(shown[1]?.lines[0]?.text).toBe("a: 1");
});

it("startOf returns the index of a line's first character", () =>
  expect([1, 2, 4, 9].map((line) => startOf(manifest, line))).toEqual([0, 6, 16, 16]));

it("summaryOf counts the changes of an import", () => {
  const result = {
    applied: true,
    changes: 3,
    deeds: [
      { action: "created" as const, thing: "model" as const, name: "m" },
      { action: "changed" as const, thing: "group" as const, name: "g" },
    ],
    warnings: [],
    faults: [],
    tokens: 0,
  };
  expect(summaryOf(result)).toBe("1 created, 1 changed, 1 more");
  expect(summaryOf({ ...result, changes: 0, deeds: [] })).toBe("no changes");
});
