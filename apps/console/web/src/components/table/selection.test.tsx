// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { type Column, DataTable } from "@/components/DataTable";
import { renderIn } from "@/components/testing";

import { SelectionBar } from "./SelectionBar";
import { shareOfSelected, useSelection, withSelected } from "./useSelection";

interface Fruit {
  id: string;
  name: string;
}

const fruits: Fruit[] = ["pear", "apple", "plum", "fig"].map((name) => ({ id: name.slice(0, 2), name }));
const columns: Column<Fruit>[] = [
  { id: "name", header: "Name", value: ({ name }) => name, cell: ({ name }) => <a href={`#${name}`}>{name}</a> },
];
const onRowClick = vi.fn();

function Fruits({ rows = fruits }: { rows?: Fruit[] }) {
  const selection = useSelection();
  const [filter, setFilter] = useState("");
  const shown = rows.filter(({ name }) => name.includes(filter));
  const selected = rows.filter(({ id }) => selection.state[id]);
  return (
    <>
      <input aria-label="Filter" value={filter} onChange={(event) => setFilter(event.currentTarget.value)} />
      <DataTable
        whole
        caption="Fruits"
        columns={columns}
        rows={shown}
        rowKey={({ id }) => id}
        nameOf={({ name }) => name}
        selection={selection}
        onRowClick={onRowClick}
        empty="No fruits"
      />
      <SelectionBar
        selection={selection}
        selected={selected.map(({ id }) => id)}
        hidden={selected.filter((fruit) => !shown.includes(fruit)).map(({ id }) => id)}
        label={`${selected.length} fruits selected`}
      >
        <button type="button">Eat</button>
      </SelectionBar>
    </>
  );
}

beforeEach(() => {
  localStorage.clear();
  onRowClick.mockClear();
});
afterEach(cleanup);

const box = (name: string) => screen.getByRole<HTMLInputElement>("checkbox", { name });
const all = () => box("Select all: Fruits");
const checked = () =>
  fruits.filter(({ name }) => screen.queryByRole("checkbox", { name: `Select ${name}`, checked: true }));
const names = () => checked().map(({ name }) => name);
const bar = () => screen.queryByRole("region", { name: "Selection" });

it("a table without a selection has no checkboxes", () => {
  renderIn(<DataTable caption="Fruits" columns={columns} rows={fruits} rowKey={({ id }) => id} empty="" />);
  expect(screen.queryByRole("checkbox")).toBeNull();
});

it("a checkbox selects its row and does not open it", async () => {
  renderIn(<Fruits />);
  expect(bar()).toBeNull();
  await userEvent.click(box("Select apple"));
  expect(names()).toEqual(["apple"]);
  expect(bar()?.textContent).toContain("1 fruits selected");
  const spoken = screen.getAllByRole("status").map(({ textContent }) => textContent);
  expect(spoken).toContain("1 fruits selected");
  await userEvent.click(box("Select apple"));
  expect(bar()).toBeNull();
  expect(onRowClick).not.toHaveBeenCalled();
});

it("the header tells none, some and all, and toggles all", async () => {
  renderIn(<Fruits />);
  expect([all().checked, all().indeterminate]).toEqual([false, false]);
  await userEvent.click(box("Select plum"));
  expect([all().checked, all().indeterminate]).toEqual([false, true]);
  await userEvent.click(all());
  expect(names()).toHaveLength(4);
  expect([all().checked, all().indeterminate]).toEqual([true, false]);
  await userEvent.click(all());
  expect(names()).toEqual([]);
});

it("Shift selects a range in the order of the list, and deselects one", async () => {
  const user = userEvent.setup();
  renderIn(<Fruits />);
  await user.click(within(screen.getByRole("columnheader", { name: /Name/ })).getByRole("button")); // apple, fig, pear, plum
  await user.click(box("Select apple"));
  await user.keyboard("{Shift>}");
  await user.click(box("Select pear"));
  expect(names()).toEqual(["pear", "apple", "fig"]);
  await user.click(box("Select fig"));
  await user.keyboard("{/Shift}");
  expect(names()).toEqual(["apple"]);
});

it("rows stay selected while they are sorted and filtered out, and the bar says so", async () => {
  renderIn(<Fruits />);
  await userEvent.click(box("Select apple"));
  await userEvent.click(box("Select fig"));
  await userEvent.click(within(screen.getByRole("columnheader", { name: /Name/ })).getByRole("button"));
  expect(names()).toEqual(["apple", "fig"]);
  await userEvent.type(screen.getByLabelText("Filter"), "pp");
  expect(bar()?.textContent).toContain("1 of them is hidden by the filters");
  expect(all().checked).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Deselect hidden" }));
  await userEvent.clear(screen.getByLabelText("Filter"));
  expect(names()).toEqual(["apple"]);
});

it("all rows of a filtered list are selected, and no others", async () => {
  renderIn(<Fruits />);
  await userEvent.type(screen.getByLabelText("Filter"), "p");
  await userEvent.click(all());
  await userEvent.clear(screen.getByLabelText("Filter"));
  expect(names()).toEqual(["pear", "apple", "plum"]);
});

it("Escape and the button clear the selection, but Escape in a field does not", async () => {
  renderIn(<Fruits />);
  await userEvent.click(box("Select apple"));
  screen.getByLabelText("Filter").focus();
  await userEvent.keyboard("{Escape}");
  expect(names()).toEqual(["apple"]);
  box("Select apple").focus();
  await userEvent.keyboard("{Escape}");
  expect(names()).toEqual([]);
  await userEvent.click(box("Select fig"));
  await userEvent.click(screen.getByRole("button", { name: "Clear the selection" }));
  expect(names()).toEqual([]);
});

it("works from the keyboard: Enter into the table, Space selects", async () => {
  renderIn(<Fruits />);
  screen.getByRole("region", { name: "Fruits" }).focus();
  await userEvent.keyboard("{Enter}{ArrowDown} ");
  expect(names()).toEqual(["apple"]);
});

it("long lists draw only a part, and select all", async () => {
  const many = Array.from({ length: 100 }, (_, i) => ({ id: `f${i}`, name: `fruit ${i}` }));
  renderIn(<Fruits rows={many} />);
  await userEvent.click(all());
  expect(bar()?.textContent).toContain("100 fruits selected");
});

it("withSelected leaves other rows as they are", () => {
  expect(withSelected({ a: true }, ["c"], true)).toEqual({ a: true, c: true });
  expect(withSelected({ a: true, b: true }, ["b"], false)).toEqual({ a: true });
  expect(shareOfSelected({ a: true }, [])).toBe("none");
});
