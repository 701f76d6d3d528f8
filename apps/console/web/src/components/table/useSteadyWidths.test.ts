// @vitest-environment happy-dom
import { expect, it, vi } from "vitest";

import { hold, release } from "./useSteadyWidths";

function tableOf(widths: number[]) {
  const table = document.createElement("table");
  table.innerHTML = `<thead><tr>${widths.map(() => "<th></th>").join("")}</tr></thead>`;
  const headers = [...table.querySelectorAll("th")];
  const width = (element: Element, value: number) =>
    vi.spyOn(element, "getBoundingClientRect").mockReturnValue({ width: value } as DOMRect);
  width(
    table,
    widths.reduce((sum, one) => sum + one, 0),
  );
  headers.forEach((header, i) => width(header, widths[i] ?? 0));
  return { table, headers };
}

it("holds each column at its width, and returns to what the page set", () => {
  const { table, headers } = tableOf([120, 80.5]);
  headers[0]?.style.setProperty("width", "30%");
  hold(table);
  expect(headers.map(({ style }) => style.width)).toEqual(["120px", "80.5px"]);
  expect([table.style.width, table.style.tableLayout]).toEqual(["200.5px", "fixed"]);
  release(table);
  expect(headers.map(({ style }) => style.width)).toEqual(["30%", ""]);
  expect([table.style.width, table.style.tableLayout]).toEqual(["", ""]);
});

it("holds nothing of a table that is not shown", () => {
  const { table, headers } = tableOf([0, 0]);
  hold(table);
  expect([table.style.tableLayout, headers[0]?.style.width]).toEqual(["", ""]);
});
