import { orderSearch, type OrderSearch } from "@/components/table/orderSearch";
import { text } from "@/routes/root";

/** What the API sorts users by, by the ids of the columns. */
export const peopleSorts = { joined: "created_at" } as const;

/** The query string of a list of users. */
export interface PeopleSearch extends OrderSearch<"created_at"> {
  search?: string | undefined;
}

/** Parses a query string. Unknown values are dropped. */
export const peopleSearch = (search: Record<string, unknown>): PeopleSearch => ({
  search: text(search["search"]),
  ...orderSearch(search, Object.values(peopleSorts)),
});
