import { oneOf, text } from "@/routes/root";

/** What the list of tokens may be limited to, beside those that are not revoked. */
export const tokenStates = ["enabled", "disabled", "revoked", "all"] as const;

/** The query string of the page of tokens. */
export interface TokenSearch {
  search?: string | undefined;
  status?: (typeof tokenStates)[number] | undefined;
  user?: string | undefined;
  tenant?: string | undefined;
  /** The drawer that creates a token is open. */
  create?: true | undefined;
}

/** Reads a query string; what it does not know is left out. */
export const tokenSearch = (search: Record<string, unknown>): TokenSearch => ({
  search: text(search["search"]),
  status: oneOf(search["status"], tokenStates),
  user: text(search["user"], 36),
  tenant: text(search["tenant"], 36),
  create: search["create"] === true ? true : undefined,
});

/** The filters as the API takes them. */
export function tokenQuery({ search, status, user, tenant }: TokenSearch) {
  return {
    search,
    user_id: user,
    tenant_id: tenant,
    ...(status === "all" && { include_revoked: true }),
    ...(status && status !== "all" && { status }),
  };
}
