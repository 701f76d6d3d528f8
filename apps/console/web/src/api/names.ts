import { queryOptions, useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "./client";
import { queryClient } from "./query";
import { isOperator, type Identity, useIdentity } from "./session";
import { isTokenValue, lookUpToken } from "./tokenValue";

interface Named {
  id: string;
  name: string;
}

const staleTime = 5 * 60_000;
const pageSize = 200;

/**
 * Searches users by a part of their address or by their full id. Operators search all users, everyone else the users
 * of their own tenant.
 */
export async function searchUsers(identity: Identity, search: string, limit = 20): Promise<Named[]> {
  if (isTokenValue(search)) return [];
  const query = { search: search || undefined, limit };
  const found = isOperator(identity)
    ? await ask(api.GET("/api/operator/users", { params: { query } }))
    : await ask(api.GET("/api/members", { params: { query } }));
  return found.items.map(({ id, email }) => ({ id, name: email }));
}

/** Searches operators like searchUsers. Only operators may call it. */
export async function searchOperators(search: string, limit = 20): Promise<Named[]> {
  if (isTokenValue(search)) return [];
  const query = { role: "operator" as const, search: search || undefined, limit };
  const found = await ask(api.GET("/api/operator/users", { params: { query } }));
  return found.items.map(({ id, email }) => ({ id, name: email }));
}

/** Searches tenants by a part of their name or by their full id. Only operators may call it. */
export async function searchTenants(search: string, limit = 20): Promise<Named[]> {
  if (isTokenValue(search)) return [];
  const found = await ask(
    api.GET("/api/operator/tenants", { params: { query: { search: search || undefined, limit } } }),
  );
  return found.items.map(({ id, name }) => ({ id, name }));
}

/** Finds tokens by a part of their name, by their mask, by their full id or by their value. */
export async function findTokens(
  search: string,
  { revoked = false, limit = 20 }: { revoked?: boolean; limit?: number } = {},
): Promise<Schema<"Token">[]> {
  if (isTokenValue(search)) {
    const token = await lookUpToken(search);
    return token && (revoked || token.status !== "revoked") ? [token] : [];
  }
  const query = { search: search || undefined, include_revoked: revoked || undefined, limit };
  return (await ask(api.GET("/api/tokens", { params: { query } }))).items;
}

/** Returns the ids and names of the tokens that findTokens finds, revoked ones too. */
export async function searchTokens(search: string, limit = 20): Promise<Named[]> {
  const found = await findTokens(search, { revoked: true, limit });
  return found.map(({ id, name }) => ({ id, name }));
}

/** Rereads names and the options of select fields after a user, a tenant or a token was created or renamed. */
export const refreshNames = () =>
  Promise.all(
    ["names", "choice", "choices", "palette"].map((kind) => queryClient.invalidateQueries({ queryKey: [kind] })),
  );

const byId = (named: Named[]) => new Map(named.map(({ id, name }) => [id, name]));

/**
 * Reads the names of the first users with one request. Most lists show users that are among them; useUserName asks
 * for the others one by one.
 */
function firstUsers(identity: Identity) {
  return queryOptions({
    queryKey: ["names", "users"],
    queryFn: async () => byId(await searchUsers(identity, "", pageSize)),
    staleTime,
  });
}

/** Reads the names of the first tenants with one request, like firstUsers. */
const firstTenants = queryOptions({
  queryKey: ["names", "tenants"],
  queryFn: async () => byId(await searchTenants("", pageSize)),
  staleTime,
});

/**
 * Returns the e-mail address of a user: undefined while it loads, null if the user no longer exists or the caller may
 * not read other users.
 */
export function useUserName(id: string): string | null | undefined {
  const identity = useIdentity();
  const own = id === identity.user.id ? identity.user.email : undefined;
  const many = identity.user.role !== "member" && own === undefined;
  const first = useQuery({ ...firstUsers(identity), enabled: many });
  const missing = many && first.data !== undefined && !first.data.has(id);
  const single = useQuery({
    queryKey: ["names", "user", id],
    queryFn: async () => (await searchUsers(identity, id, 1))[0]?.name ?? null,
    enabled: missing,
    staleTime,
  });
  return own ?? first.data?.get(id) ?? (first.isError || !many ? null : single.data);
}

/**
 * Returns what useTenantName shows for a tenant, and the id of a tenant whose name is not known. Not a hook: for the
 * values of tables.
 */
export const knownTenantName = (id: string): string =>
  queryClient.getQueryData<Map<string, string>>(["names", "tenants"])?.get(id) ??
  queryClient.getQueryData<string | null>(["names", "tenant", id]) ??
  id;

/** Returns the name of a tenant, for operators: undefined while it loads, null if there is no such tenant. */
export function useTenantName(id: string): string | null | undefined {
  const first = useQuery(firstTenants);
  const missing = first.data !== undefined && !first.data.has(id);
  const single = useQuery({
    queryKey: ["names", "tenant", id],
    queryFn: async () => (await searchTenants(id, 1))[0]?.name ?? null,
    enabled: missing,
    staleTime,
  });
  return first.data?.get(id) ?? (first.isError ? null : single.data);
}
