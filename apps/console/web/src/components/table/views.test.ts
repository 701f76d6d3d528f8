import { describe, expect, it } from "vitest";

import {
  type Arrangement,
  moved,
  orderOf,
  parseViews,
  reordered,
  toggled,
  visibilityOf,
  withArrangement,
} from "./views";

const columns = [
  { id: "name" },
  { id: "status" },
  { id: "quota" },
  { id: "id", optional: true },
  { id: "actions", actions: true },
];
const arrangement = (change: Partial<Arrangement>): Arrangement => ({ order: [], hidden: [], shown: [], ...change });

describe("parseViews", () => {
  const nothing = { density: "comfortable", tables: {} };
  it.each([
    undefined,
    "",
    "{",
    "null",
    "7",
    "[]",
    '"text"',
    '{"density":"tiny","tables":[]}',
    `{"density":"${"x".repeat(200_000)}"}`,
  ])("reads the default from %.40j", (text) => expect(parseViews(text)).toEqual(nothing));
  it("reads what it wrote", () => {
    const views = {
      density: "compact" as const,
      tables: { tokens: arrangement({ order: ["a", "b"], hidden: ["c"] }) },
    };
    expect(parseViews(JSON.stringify(views))).toEqual(views);
  });
  it("leaves out what is no id", () => {
    const tables = {
      tokens: { order: ["a", 7, null, "a", "x".repeat(81)], hidden: "a", shown: undefined },
      members: 5,
      ["n".repeat(81)]: {},
    };
    expect(parseViews(JSON.stringify({ tables })).tables).toEqual({
      tokens: arrangement({ order: ["a"] }),
      members: arrangement({}),
    });
  });
  it("bounds tables and columns", () => {
    const order = Array.from({ length: 200 }, (_, i) => `column ${i}`);
    const tables = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`table ${i}`, arrangement(i === 199 ? { order } : {})]),
    );
    const found = parseViews(JSON.stringify({ tables })).tables;
    expect(Object.keys(found)).toHaveLength(60);
    expect(found["table 199"]?.order).toHaveLength(60);
  });
});

describe("reordered", () => {
  const sorted = { id: "name", desc: true };
  it("keeps the columns", () =>
    expect(reordered(arrangement({ hidden: ["quota"] }), sorted)).toEqual(arrangement({ hidden: ["quota"], sorted })));
  it("is nothing where neither columns nor rows are arranged", () =>
    expect(reordered(arrangement({ sorted }), undefined)).toBeUndefined());
  it("is kept when a column is moved or removed", () => {
    expect(moved(columns, arrangement({ sorted }), "status", 1).sorted).toEqual(sorted);
    expect(toggled(arrangement({ sorted }), "status", false).sorted).toEqual(sorted);
  });
  it.each([
    [{ id: "name" }, { id: "name", desc: false }],
    [{ id: 7 }, undefined],
    [{ id: "x".repeat(81) }, undefined],
    ["name", undefined],
  ])("is read from %j", (stored, want) => {
    expect(parseViews(JSON.stringify({ tables: { tokens: { sorted: stored } } })).tables["tokens"]?.sorted).toEqual(
      want,
    );
  });
});

describe("withArrangement", () => {
  it("drops the table that was changed longest ago", () => {
    let views = parseViews(undefined);
    for (let i = 0; i < 61; i++) views = withArrangement(views, `table ${i}`, arrangement({}));
    expect(Object.keys(views.tables)).toHaveLength(60);
    expect(views.tables).not.toHaveProperty("table 0");
  });
  it("forgets a table", () =>
    expect(withArrangement({ density: "compact", tables: { tokens: arrangement({}) } }, "tokens", undefined)).toEqual({
      density: "compact",
      tables: {},
    }));
});

describe("orderOf", () => {
  it("is the default order without an arrangement", () =>
    expect(orderOf(columns)).toEqual(["name", "status", "quota", "id", "actions"]));
  it("keeps the first column and the actions in their places", () =>
    expect(orderOf(columns, arrangement({ order: ["actions", "quota", "name", "status"] }))).toEqual([
      "name",
      "quota",
      "id",
      "status",
      "actions",
    ]));
  it("puts a new column where it stands by default, and ignores unknown ones", () =>
    expect(orderOf(columns, arrangement({ order: ["gone", "id", "quota"] }))).toEqual([
      "name",
      "status",
      "id",
      "quota",
      "actions",
    ]));
});

describe("visibilityOf", () => {
  it("hides optional columns", () =>
    expect(visibilityOf(columns)).toEqual({ name: true, status: true, quota: true, id: false, actions: true }));
  it("hides neither the first column nor the actions", () => {
    expect(visibilityOf(columns, arrangement({ hidden: ["name", "status", "actions"], shown: ["id"] }))).toEqual({
      name: true,
      status: false,
      quota: true,
      id: true,
      actions: true,
    });
  });
});

it("toggled adds and removes a column", () => {
  const added = toggled(undefined, "id", true);
  expect(added).toEqual(arrangement({ shown: ["id"] }));
  expect(toggled(added, "id", false)).toEqual(arrangement({ hidden: ["id"] }));
});

it.each([
  ["up", "quota", -1, ["name", "quota", "status", "id", "actions"]],
  ["down", "status", 1, ["name", "quota", "status", "id", "actions"]],
  ["before the first", "status", -1, ["name", "status", "quota", "id", "actions"]],
  ["behind the last", "id", 1, ["name", "status", "quota", "id", "actions"]],
  ["although it is the first", "name", 1, ["name", "status", "quota", "id", "actions"]],
] as const)("moved moves a column %s", (_, id, by, want) =>
  expect(orderOf(columns, moved(columns, undefined, id, by))).toEqual(want),
);
