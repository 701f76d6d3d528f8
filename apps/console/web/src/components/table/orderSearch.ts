import { oneOf } from "@/routes/root";

/** The order of a list in a query string, in the words of the API. */
export interface OrderSearch<Sort extends string = string> {
  sort?: Sort | undefined;
  order?: "asc" | "desc" | undefined;
}

/** Parses the order of a query string. Without a known `sort` there is none. */
export function orderSearch<Sort extends string>(
  search: Record<string, unknown>,
  sorts: readonly Sort[],
): OrderSearch<Sort> {
  const sort = oneOf(search["sort"], sorts);
  return { sort, order: sort === undefined ? undefined : (oneOf(search["order"], ["asc", "desc"] as const) ?? "asc") };
}
