import { Anchor, Button, Group, Select } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { searchTenants, searchUsers } from "@/api/names";
import { isOperator, useIdentity } from "@/api/session";
import { DataTable } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { RemoteSelect } from "@/components/RemoteSelect";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";

import { tokenColumns } from "./columns";
import { tokenQuery, tokenStates, type TokenSearch } from "./search";
import { TokenDrawer } from "./TokenForm";
import { TokenMenu } from "./TokenMenu";
import { TokenValue } from "./TokenValue";
import { useTokenActions } from "./useTokenActions";

const route = getRouteApi("/signed-in/tokens");

/** Lists the tokens that the signed-in user may see. */
export function Tokens() {
  const identity = useIdentity();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/tokens" });
  const [created, setCreated] = useState<Schema<"CreatedToken">>();
  const [edited, setEdited] = useState<Schema<"Token">>();
  const actions = useTokenActions(setCreated);
  const set = (change: Partial<TokenSearch>) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const setCreating = (creating: boolean) => set({ create: creating || undefined });
  const { create, ...filters } = search;
  const pages = usePages(["tokens", "list", filters], (after) => ask(api.GET("/api/tokens", { params: { query: { ...tokenQuery(filters), after, limit: 50 } } })));
  const columns = useMemo(() => tokenColumns(identity, (token) => <TokenMenu token={token} actions={actions} edit={() => setEdited(token)} />), [identity, actions]);
  const filtered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page
      wide
      title="Tokens"
      description={isOperator(identity) ? "The API tokens of all tenants." : "API tokens are what programs call the models with. Each may have its own models, quota and limits."}
      actions={<Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>Create token</Button>}
    >
      <TokenFilters search={filters} set={set} />
      <DataTable
        dense
        caption="Tokens"
        columns={columns}
        rows={pages.rows}
        rowKey={(token) => token.id}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        faded={(token) => token.status === "revoked"}
        onRowClick={(token) => void navigate({ to: "/tokens/$id", params: { id: token.id } })}
        empty={
          filtered ? (
            <EmptyState icon={IconKey} title="No token is like this">
              <Anchor component="button" onClick={() => void navigate({ search: {}, replace: true })}>Show all tokens</Anchor>
            </EmptyState>
          ) : (
            <EmptyState icon={IconKey} title="No tokens yet" action={<Button mt="xs" onClick={() => setCreating(true)}>Create token</Button>}>
              Create a token, and call any model that your group permits with it.
            </EmptyState>
          )
        }
        footer={<Pager pages={pages} />}
      />
      <TokenDrawer opened={create === true} close={() => setCreating(false)} onCreated={setCreated} />
      <TokenDrawer opened={edited !== undefined} close={() => setEdited(undefined)} {...(edited && { token: edited })} />
      <TokenValue created={created} close={() => setCreated(undefined)} />
    </Page>
  );
}

function TokenFilters({ search, set }: { search: TokenSearch; set: (change: Partial<TokenSearch>) => void }) {
  const identity = useIdentity();
  return (
    <Group gap="xs">
      <SearchInput label="Search by name or id" value={search.search ?? ""} onSearch={(text) => set({ search: text || undefined })} />
      <Select
        aria-label="Status"
        w={{ base: "100%", xs: 150 }}
        data={[{ value: "", label: "Not revoked" }, ...tokenStates.map((value) => ({ value, label: value === "all" ? "All, also revoked" : value.charAt(0).toUpperCase() + value.slice(1) }))]}
        value={search.status ?? ""}
        allowDeselect={false}
        onChange={(value) => set({ status: tokenStates.find((state) => state === value) })}
      />
      {isOperator(identity) && (
        <RemoteSelect kind="tenants" aria-label="Tenant" placeholder="All tenants" w={{ base: "100%", xs: 200 }} search={(text) => searchTenants(text)} value={search.tenant} onChange={(tenant) => set({ tenant })} />
      )}
      {identity.user.role !== "member" && (
        <RemoteSelect kind="users" aria-label="Owner" placeholder="All owners" w={{ base: "100%", xs: 220 }} search={(text) => searchUsers(identity, text)} value={search.user} onChange={(user) => set({ user })} />
      )}
    </Group>
  );
}
