import { orderSearch, type OrderSearch } from "@/components/table/orderSearch";
import { text } from "@/routes/root";

/** What the API sorts tenants by, by the ids of the columns. */
export const tenantSorts = { tenant: "name", created: "created_at" } as const;

/** The query string of the tenants. */
export interface TenantSearch extends OrderSearch<(typeof tenantSorts)[keyof typeof tenantSorts]> {
  search?: string | undefined;
}

/** Parses a query string. Unknown values are dropped. */
export const tenantSearch = (search: Record<string, unknown>): TenantSearch => ({
  search: text(search["search"]),
  ...orderSearch(search, Object.values(tenantSorts)),
});
