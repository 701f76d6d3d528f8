import type { OrderSearch } from "./orderSearch";
import { useViews } from "./useViews";
import type { SortedBy } from "./views";

/** The orders in which the API lists the rows of a table. */
export interface ListOrder {
  /** The names of the API by the ids of the columns. */
  columns: Readonly<Record<string, string>>;
  /** The chosen order; undefined for the list's own. */
  sorted: SortedBy | undefined;
  sort: (by: SortedBy | undefined) => void;
}

interface OrderOptions<Sort extends string> {
  /** What the API can sort by, by the ids of the columns. */
  columns: Readonly<Record<string, Sort>>;
  search: OrderSearch<Sort>;
  /** Changes the query string. */
  set: (change: OrderSearch<Sort>) => void;
  /** The name of the table for which the order is remembered. Without one it is not. */
  table?: string;
}

/**
 * Keeps the order of a list in the query string. A query string without an order means the order that the user chose
 * last in this table. Returns what the DataTable needs, and the parameters for the API.
 */
export function useListOrder<Sort extends string>({
  columns,
  search,
  set,
  table,
}: OrderOptions<Sort>): { order: ListOrder; query: OrderSearch<Sort> } {
  const { sorted: remembered, remember } = useViews(table);
  const chosen = Object.entries(columns).find(([, sort]) => sort === search.sort);
  const sorted = chosen
    ? { id: chosen[0], desc: search.order === "desc" }
    : remembered && columns[remembered.id]
      ? remembered
      : undefined;
  const query = (by: SortedBy | undefined): OrderSearch<Sort> => ({
    sort: by && columns[by.id],
    order: by && (by.desc ? "desc" : "asc"),
  });
  const sort = (by: SortedBy | undefined) => {
    remember(by);
    set(query(by));
  };
  return { order: { columns, sorted, sort }, query: query(sorted) };
}
