import { expect, it } from "vitest";

import { auditQuery, auditSearch, isFiltered } from "./filters";

const now = Date.parse("2026-01-10T12:00:00Z");

it("keeps valid filters and drops all others", () => {
  expect(
    auditSearch({
      action: "session.refused",
      address: "192.0.2.1",
      target: "gpt-x",
      span: "1h",
      from: "yesterday",
      model: "echo-1",
      actor: 7,
    }),
  ).toEqual({ action: "session.refused", address: "192.0.2.1", target: "gpt-x", span: "1h" });
});

it("counts a span back from now", () => {
  expect(auditQuery({ actor: "a@acme.example", span: "1h" }, now)).toEqual({
    actor: "a@acme.example",
    from: "2026-01-10T11:00:00.000Z",
  });
});

it("knows whether there is a filter", () => {
  expect(isFiltered(auditSearch({}))).toBe(false);
  expect(isFiltered(auditSearch({ to: "2026-01-01" }))).toBe(true);
});
