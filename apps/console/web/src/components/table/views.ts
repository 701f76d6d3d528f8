/**
 * How users arrange their tables, kept in the browser's storage for each user. What is stored may come from an older or
 * newer version of the console, or be damaged: it is read as far as it makes sense, and all lists are bounded.
 */

export const densities = ["comfortable", "compact"] as const;
export type Density = (typeof densities)[number];

/** The columns of one table as a user arranged them, by their ids. Ids that the table does not have are ignored. */
export interface Arrangement {
  /** The columns in their order. Missing columns follow the column that they follow by default. */
  order: string[];
  /** The columns that the user removed. */
  hidden: string[];
  /** The columns that the user added, or keeps on narrow screens. */
  shown: string[];
  /** The order of the rows, of a list that the API sorts; absent for the list's own. */
  sorted?: SortedBy | undefined;
}

/** The column by which a table is sorted. */
export interface SortedBy {
  id: string;
  desc: boolean;
}

/** Everything that is remembered for one user. */
export interface TableViews {
  /** Counts for all tables. */
  density: Density;
  /** By the name of the table, the last change at the end. */
  tables: Record<string, Arrangement>;
}

/** What the arrangement of a table needs to know of a column. */
export interface Arranged {
  id: string;
  /** Hidden unless the user adds it. */
  optional?: boolean | undefined;
  /** The column of the row's buttons, always the last one. */
  actions?: boolean | undefined;
}

const maxTables = 60;
const maxColumns = 60;
const maxId = 80;
const maxStored = 100_000;

const none: Arrangement = { order: [], hidden: [], shown: [] };

/** The storage key of a user. */
export const storageKey = (user: string) => `tollgate-tables-${user}`;

/** Reads what is stored. Whatever makes no sense is left out. */
export function parseViews(text: string | undefined): TableViews {
  const found = objectOf(text);
  const tables = Object.entries(record(found["tables"]))
    .filter(([name]) => name.length <= maxId)
    .slice(-maxTables)
    .map(([name, value]) => {
      const { order, hidden, shown, sorted } = record(value);
      return [name, { order: ids(order), hidden: ids(hidden), shown: ids(shown), sorted: sortedBy(sorted) }] as const;
    });
  return {
    density: densities.find((one) => one === found["density"]) ?? "comfortable",
    tables: Object.fromEntries(tables),
  };
}

function objectOf(text: string | undefined): Record<string, unknown> {
  if (!text || text.length > maxStored) return {};
  try {
    return record(JSON.parse(text));
  } catch {
    return {};
  }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

const ids = (value: unknown): string[] =>
  Array.isArray(value)
    ? [...new Set(value.filter((id): id is string => typeof id === "string" && id.length <= maxId))].slice(
        0,
        maxColumns,
      )
    : [];

function sortedBy(value: unknown): SortedBy | undefined {
  const { id, desc } = record(value);
  return typeof id === "string" && id.length <= maxId ? { id, desc: desc === true } : undefined;
}

/**
 * Returns the views with another arrangement of one table; undefined forgets it. The tables that were changed longest
 * ago are dropped.
 */
export function withArrangement(
  { density, tables }: TableViews,
  name: string,
  arrangement: Arrangement | undefined,
): TableViews {
  const { [name]: _old, ...others } = tables;
  return {
    density,
    tables: Object.fromEntries(
      [...Object.entries(others), ...(arrangement ? [[name, arrangement] as const] : [])].slice(-maxTables),
    ),
  };
}

/**
 * Returns the ids of all columns in the user's order. The first column, which names the row, stays the first, and
 * actions stay last. A column that the arrangement does not know follows the column that it follows by default.
 */
export function orderOf(columns: readonly Arranged[], { order } = none): string[] {
  const [first, ...others] = columns.filter(({ actions }) => !actions).map(({ id }) => id);
  if (first === undefined) return columns.map(({ id }) => id);
  const result = [first, ...order.filter((id) => others.includes(id))];
  others.forEach((id, i) => {
    if (!result.includes(id)) result.splice(result.indexOf(others[i - 1] ?? first) + 1, 0, id);
  });
  return [...result, ...columns.filter(({ actions }) => actions).map(({ id }) => id)];
}

/** Reports for each column whether it is part of the table. The first column and the actions always are. */
export function visibilityOf(columns: readonly Arranged[], { hidden, shown } = none): Record<string, boolean> {
  const first = columns.find(({ actions }) => !actions)?.id;
  return Object.fromEntries(
    columns.map(({ id, optional, actions }) => [
      id,
      id === first || actions === true || shown.includes(id) || (!optional && !hidden.includes(id)),
    ]),
  );
}

/** Returns the arrangement with a column added or removed. */
export function toggled(arrangement = none, id: string, visible: boolean): Arrangement {
  const without = (list: string[]) => list.filter((one) => one !== id);
  const { hidden, shown } = arrangement;
  return visible
    ? { ...arrangement, hidden: without(hidden), shown: [...without(shown), id] }
    : { ...arrangement, hidden: [...without(hidden), id], shown: without(shown) };
}

/** Returns the arrangement with another order of the rows; undefined if it is then the default. */
export function reordered({ order, hidden, shown } = none, sorted: SortedBy | undefined): Arrangement | undefined {
  const arranged = order.length + hidden.length + shown.length > 0;
  return sorted || arranged ? { order, hidden, shown, sorted } : undefined;
}

/**
 * Returns the arrangement with a column moved by one place, over hidden columns too. The first column and the actions
 * stay.
 */
export function moved(columns: readonly Arranged[], arrangement = none, id: string, by: -1 | 1): Arrangement {
  const movable = orderOf(columns, arrangement)
    .slice(1)
    .filter((one) => !columns.find((column) => column.id === one)?.actions);
  const from = movable.indexOf(id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= movable.length) return arrangement;
  return { ...arrangement, order: movable.toSpliced(from, 1).toSpliced(to, 0, id) };
}
