import { describe, expect, it } from "vitest";

import { filtersOf, isFiltered, logQuery, logSearch, requestFilter } from "./filters";

const now = Date.parse("2026-01-10T12:00:00Z");

describe("logSearch", () => {
  it("keeps valid values", () =>
    expect(logSearch({ span: "24h", outcome: "failed", live: false })).toMatchObject({
      span: "24h",
      outcome: "failed",
      live: false,
    }));
  it.each([
    { span: "2y" },
    { outcome: "great" },
    { from: "yesterday" },
    { live: "yes" },
    { model: 7 },
    { tag: "team" },
    { tag: "Team=blue" },
    { tag: "=blue" },
  ])("drops %j", (search) => {
    expect(isFiltered(logSearch(search))).toBe(false);
  });
});

describe("logQuery", () => {
  it("counts a span back from now", () =>
    expect(logQuery({ span: "1h" }, now)).toMatchObject({ from: "2026-01-10T11:00:00.000Z" }));
  it("sends custom moments in UTC", () => {
    expect(logQuery({ from: "2026-01-01T00:00:00+01:00", to: "2026-01-02T00:00:00Z" }, now)).toMatchObject({
      from: "2025-12-31T23:00:00.000Z",
      to: "2026-01-02T00:00:00.000Z",
    });
  });
  it("sends a tag as a list", () =>
    expect(logQuery({ tag: "team=blue", end_user: "u", client: "c" }, now)).toMatchObject({
      tag: ["team=blue"],
      end_user: "u",
      client_id: "c",
    }));
  it("uses the API's parameter names", () =>
    expect(logQuery({ token: "t", user: "u" }, now)).toMatchObject({ token_id: "t", user_id: "u" }));
});

it("does not count an open receipt as a filter", () =>
  expect(isFiltered(filtersOf({ log: "x", live: false }))).toBe(false));

describe("requestFilter", () => {
  const id = "019b76da-a800-7000-8000-0123456789ab";
  it.each([id, ` ${id}\n`, `"${id}"`, id.toUpperCase()])("finds the id in %j", (typed) =>
    expect(requestFilter(typed)).toBe(id),
  );
  it.each(["", "019b76da", `${id}0`, "x".repeat(36), 7])("drops %j", (typed) =>
    expect(requestFilter(typed)).toBeUndefined(),
  );
});
