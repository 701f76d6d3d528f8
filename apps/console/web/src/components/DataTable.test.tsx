// @vitest-environment happy-dom
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { queryClient, sessionQuery } from "@/api/query";
import { saveFile } from "@/api/save";
import { type Column, DataTable } from "./DataTable";
import { renderIn } from "./testing";

vi.mock("@/api/save", () => ({ saveFile: vi.fn() }));

interface Fruit {
  id: string;
  name: string;
  price: string;
  note: string | null;
}

const fruits: Fruit[] = [
  { id: "1", name: "pear-10", price: "2.5", note: "=1+1" },
  { id: "2", name: "apple", price: "10", note: null },
  { id: "3", name: "pear-9", price: "0.000000001", note: "ripe, sweet" },
];

const columns: Column<Fruit>[] = [
  { id: "name", header: "Name", value: ({ name }) => name, cell: ({ name }) => <a href={`#${name}`}>{name}</a> },
  {
    id: "price",
    header: "Price",
    align: "right",
    value: ({ price }) => price,
    sortBy: ({ price }) => Number(price),
    cell: ({ price }) => `$${price}`,
  },
  { id: "note", header: "Note", value: ({ note }) => note, cell: ({ note }) => note },
  { id: "id", header: "ID", optional: true, value: ({ id }) => id, cell: ({ id }) => id },
  { id: "actions", actions: true, header: "Actions", cell: ({ name }) => <button type="button">Eat {name}</button> },
];

const show = (props: Partial<Parameters<typeof DataTable<Fruit>>[0]> = {}) =>
  renderIn(
    <DataTable
      table="fruits"
      whole
      caption="Fruits"
      columns={columns}
      rows={fruits}
      rowKey={({ id }) => id}
      empty="No fruits"
      {...props}
    />,
  );

const headers = () => screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
const firstCells = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell")[0]?.textContent);
const openMenu = () => userEvent.click(screen.getByRole("button", { name: "View" }));
const signIn = (id: string) => queryClient.setQueryData(sessionQuery.queryKey, { user: { id } } as never);

beforeEach(() => {
  localStorage.clear();
  signIn("anna");
  vi.mocked(saveFile).mockClear();
});
afterEach(cleanup);

it("is a real table in a region that takes the focus", () => {
  show();
  expect(screen.getByRole("table", { name: "Fruits" }).tagName).toBe("TABLE");
  expect(screen.getByRole("region", { name: "Fruits" }).tabIndex).toBe(0);
  expect(headers()).toEqual(["Name", "Price", "Note", "Actions"]);
});

describe("with orders of the API", () => {
  const sort = vi.fn();
  const order = { columns: { name: "name" }, sorted: undefined, sort };
  beforeEach(() => sort.mockClear());

  it("asks for the next order of a header, with the keyboard too, and leaves the rows of a page as they are", async () => {
    const steps = [
      [undefined, null, { id: "name", desc: false }],
      [{ id: "name", desc: false }, "ascending", { id: "name", desc: true }],
      [{ id: "name", desc: true }, "descending", undefined],
    ] as const;
    for (const [sorted, aria, want] of steps) {
      show({ whole: false, order: { ...order, sorted } });
      const name = screen.getByRole("columnheader", { name: "Name" });
      expect(name.getAttribute("aria-sort")).toBe(aria);
      within(name).getByRole("button").focus();
      await userEvent.keyboard("{Enter}");
      expect(sort).toHaveBeenLastCalledWith(want);
      expect(firstCells()).toEqual(["pear-10", "apple", "pear-9"]);
      cleanup();
    }
  });
  it("does not sort by other columns, except whole lists", async () => {
    show({ whole: false, order });
    expect(within(screen.getByRole("columnheader", { name: "Price" })).queryByRole("button")).toBeNull();
    cleanup();
    show({ order });
    await userEvent.click(within(screen.getByRole("columnheader", { name: "Price" })).getByRole("button"));
    expect(firstCells()).toEqual(["apple", "pear-10", "pear-9"]);
    expect(sort).not.toHaveBeenCalled();
  });
  it("sorts a whole list here too, as people count", () => {
    show({ order: { ...order, sorted: { id: "name", desc: false } } });
    expect(firstCells()).toEqual(["apple", "pear-9", "pear-10"]);
  });
  it("says which columns sort", async () => {
    show({ whole: false, order });
    await openMenu();
    expect(screen.getByText(/headers with arrows sort all pages/)).toBeDefined();
  });
});

it("sorts a whole list by a header: up, down, and back", async () => {
  show();
  const name = screen.getByRole("columnheader", { name: "Name" });
  const steps = [
    ["ascending", ["apple", "pear-9", "pear-10"]],
    ["descending", ["pear-10", "pear-9", "apple"]],
    [null, ["pear-10", "apple", "pear-9"]],
  ] as const;
  for (const [sort, rows] of steps) {
    await userEvent.click(within(name).getByRole("button"));
    expect(name.getAttribute("aria-sort")).toBe(sort);
    expect(firstCells()).toEqual(rows);
  }
});

it("sorts from the keyboard, and amounts from the greatest", async () => {
  show();
  within(screen.getByRole("columnheader", { name: "Price" }))
    .getByRole("button")
    .focus();
  await userEvent.keyboard("{Enter}");
  expect(firstCells()).toEqual(["apple", "pear-10", "pear-9"]);
});

it("puts rows without a value last in both directions", async () => {
  show();
  const button = within(screen.getByRole("columnheader", { name: "Note" })).getByRole("button");
  for (let i = 0; i < 2; i++) {
    await userEvent.click(button);
    expect(firstCells().at(-1)).toBe("apple");
  }
});

it("does not sort a part of a list, and says why", async () => {
  show({ whole: false });
  expect(within(screen.getByRole("table")).queryByRole("button", { name: "Name" })).toBeNull();
  await openMenu();
  expect(screen.getByText(/Narrow the filters to sort/)).toBeTruthy();
});

it("remembers columns and their order for each user", async () => {
  const first = show();
  await openMenu();
  await userEvent.click(screen.getByRole("checkbox", { name: "ID" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "Price" }));
  await userEvent.click(screen.getByRole("button", { name: "Move ID up" }));
  expect(headers()).toEqual(["Name", "ID", "Note", "Actions"]);
  first.unmount();

  const second = show();
  expect(headers()).toEqual(["Name", "ID", "Note", "Actions"]);
  second.unmount();

  signIn("berta");
  const third = show();
  expect(headers()).toEqual(["Name", "Price", "Note", "Actions"]);
  third.unmount();

  signIn("anna");
  show();
  await openMenu();
  await userEvent.click(screen.getByRole("button", { name: "Reset columns" }));
  expect(headers()).toEqual(["Name", "Price", "Note", "Actions"]);
});

it("remembers the density for all tables", async () => {
  const first = show();
  await openMenu();
  await userEvent.click(screen.getByRole("radio", { name: "Compact" }));
  expect(screen.getByRole("table").dataset["density"]).toBe("compact");
  first.unmount();
  show({ table: "vegetables" });
  expect(screen.getByRole("table").dataset["density"]).toBe("compact");
});

it("shows the default when what is stored makes no sense", () => {
  localStorage.setItem(
    "tollgate-tables-anna",
    '{"tables":{"fruits":{"order":"x","hidden":["name","actions","gone"],"shown":[7]}}}',
  );
  show();
  expect(headers()).toEqual(["Name", "Price", "Note", "Actions"]);
});

it("keeps working in a browser that stores nothing", async () => {
  signIn("clara");
  const refused = vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new Error("refused");
  });
  show();
  await openMenu();
  await userEvent.click(screen.getByRole("checkbox", { name: "Price" }));
  expect(headers()).toEqual(["Name", "Note", "Actions"]);
  refused.mockRestore();
});

it("saves what is seen as CSV", async () => {
  show();
  await userEvent.click(within(screen.getByRole("columnheader", { name: "Name" })).getByRole("button"));
  await openMenu();
  await userEvent.click(screen.getByRole("button", { name: "Download CSV" }));
  const [name, file] = vi.mocked(saveFile).mock.calls[0] ?? [];
  expect(name).toMatch(/^fruits-\d{4}-\d\d-\d\d\.csv$/);
  expect(await file?.text()).toBe(
    '\uFEFFName,Price,Note\r\napple,10,\r\npear-9,0.000000001,"ripe, sweet"\r\npear-10,2.5,\'=1+1\r\n',
  );
});

it("copies a cell from the keyboard", async () => {
  const user = userEvent.setup();
  show();
  screen.getByRole("region", { name: "Fruits" }).focus();
  await user.keyboard("{Enter}{ArrowRight}{ArrowDown}");
  expect(document.activeElement?.textContent).toBe("$10");
  await user.keyboard("{Control>}c{/Control}");
  expect(await navigator.clipboard.readText()).toBe("10");
  await user.keyboard("{Escape}");
  expect(document.activeElement?.getAttribute("role")).toBe("region");
});

it("has no menu without a name", () => {
  show({ table: undefined });
  expect(screen.queryByRole("button", { name: "View" })).toBeNull();
});

it("shows the empty state with the summary", () => {
  show({ rows: [], summary: "0 fruits" });
  expect(screen.getByText("No fruits")).toBeTruthy();
  expect(screen.getByText("0 fruits")).toBeTruthy();
});

describe("on phones", () => {
  beforeEach(() =>
    vi.stubGlobal("matchMedia", (query: string) => ({
      matches: query.includes("max-width: 47.99em"),
      media: query,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
      addListener: () => undefined,
      removeListener: () => undefined,
    })),
  );
  afterEach(() => vi.unstubAllGlobals());

  it("sorts a whole list by a choice, up and down, and back", async () => {
    show();
    const choice = screen.getByRole("combobox", { name: "Sort by" });
    await userEvent.selectOptions(choice, "Name");
    expect(firstCells()).toEqual(["apple", "pear-9", "pear-10"]);
    await userEvent.click(screen.getByRole("button", { name: "Sort downward" }));
    expect(firstCells()).toEqual(["pear-10", "pear-9", "apple"]);
    await userEvent.selectOptions(choice, "Price"); // figures begin with the largest
    expect(firstCells()).toEqual(["apple", "pear-10", "pear-9"]);
    await userEvent.selectOptions(choice, "Not sorted");
    expect(firstCells()).toEqual(["pear-10", "apple", "pear-9"]);
  });

  it("has no choice for a part of a list, or for one row", () => {
    show({ whole: false });
    expect(screen.queryByRole("combobox", { name: "Sort by" })).toBeNull();
    cleanup();
    show({ rows: fruits.slice(0, 1) });
    expect(screen.queryByRole("combobox", { name: "Sort by" })).toBeNull();
  });
});
