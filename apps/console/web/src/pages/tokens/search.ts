import { orderSearch, type OrderSearch } from "@/components/table/orderSearch";
import { oneOf, text } from "@/routes/root";

/** What the API sorts tokens by, by the ids of the columns. */
export const tokenSorts = { token: "name", last_used: "last_used", created: "created_at" } as const;
type TokenSort = (typeof tokenSorts)[keyof typeof tokenSorts];

/** The values of the status filter. Without one the list contains all tokens that are not revoked. */
export const tokenStates = ["enabled", "disabled", "revoked", "all"] as const;

/** The query string of the token list. */
export interface TokenSearch extends OrderSearch<TokenSort> {
  search?: string | undefined;
  status?: (typeof tokenStates)[number] | undefined;
  user?: string | undefined;
  tenant?: string | undefined;
  /** True while the drawer that creates a token is open. */
  create?: true | undefined;
}

/** Parses a query string. Unknown values are dropped. */
export const tokenSearch = (search: Record<string, unknown>): TokenSearch => ({
  search: text(search["search"]),
  status: oneOf(search["status"], tokenStates),
  user: text(search["user"], 36),
  tenant: text(search["tenant"], 36),
  create: search["create"] === true ? true : undefined,
  ...orderSearch(search, Object.values(tokenSorts)),
});

/** Returns the filters as the API's parameters. */
export function tokenQuery({ search, status, user, tenant }: TokenSearch) {
  return {
    search,
    user_id: user,
    tenant_id: tenant,
    ...(status === "all" && { include_revoked: true }),
    ...(status && status !== "all" && { status }),
  };
}
