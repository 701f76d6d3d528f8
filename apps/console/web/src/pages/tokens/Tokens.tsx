import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Group, Select } from "@mantine/core";
import { IconKey, IconPlus, IconSearch } from "@tabler/icons-react";
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
import { useListOrder } from "@/components/table/useListOrder";
import { usePages } from "@/components/usePages";
import { statusWord } from "@/components/values";

import { tokenColumns } from "./columns";
import { FindToken } from "./FindToken";
import { tokenQuery, tokenSorts, tokenStates, type TokenSearch } from "./search";
import { TokenDrawer } from "./TokenForm";
import { TokenMenu } from "./TokenMenu";
import { TokenValue } from "./TokenValue";
import { useEditedToken } from "./useEditedToken";
import { useTokenActions } from "./useTokenActions";

const route = getRouteApi("/signed-in/tokens");

/** Lists the tokens that the signed-in user may see. */
export function Tokens() {
  const identity = useIdentity();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/tokens" });
  const [created, setCreated] = useState<Schema<"CreatedToken">>();
  const { token: edited, edit, close } = useEditedToken();
  const [finding, setFinding] = useState<string>();
  const actions = useTokenActions(setCreated);
  const set = (change: Partial<TokenSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const setCreating = (creating: boolean) => {
    close(); // ends an edit whose token is still being read
    set({ create: creating || undefined });
  };
  const { create, sort: _sort, order: _order, ...filters } = search;
  const { order, query } = useListOrder({ columns: tokenSorts, search, set, table: "tokens" });
  const pages = usePages(["tokens", "list", filters, query], (after) =>
    ask(api.GET("/api/tokens", { params: { query: { ...tokenQuery(filters), ...query, after, limit: 100 } } })),
  );
  const columns = useMemo(
    () => tokenColumns(identity, (token) => <TokenMenu token={token} actions={actions} edit={() => edit(token.id)} />),
    [identity, actions, edit],
  );
  const filtered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page
      wide
      title={t`Tokens`}
      description={
        isOperator(identity)
          ? t`The API tokens of all tenants.`
          : t`Programs use API tokens to call models. Each token can have its own models, quota and limits.`
      }
      actions={
        <>
          <Button variant="default" leftSection={<IconSearch size={16} />} onClick={() => setFinding("")}>
            <Trans>Find a leaked token</Trans>
          </Button>
          <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
            <Trans>Create token</Trans>
          </Button>
        </>
      }
    >
      <TokenFilters search={filters} set={set} find={setFinding} />
      <DataTable
        dense
        table="tokens"
        caption={t`Tokens`}
        whole={pages.whole}
        order={order}
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
            <EmptyState icon={IconKey} title={t`No tokens match these filters`}>
              <Anchor component="button" onClick={() => void navigate({ search: {}, replace: true })}>
                <Trans>Show all tokens</Trans>
              </Anchor>
            </EmptyState>
          ) : (
            <EmptyState
              icon={IconKey}
              title={t`No tokens yet`}
              action={
                <Button mt="xs" onClick={() => setCreating(true)}>
                  <Trans>Create token</Trans>
                </Button>
              }
            >
              <Trans>Create a token to call the models of your group.</Trans>
            </EmptyState>
          )
        }
        footer={<Pager pages={pages} />}
      />
      <TokenDrawer opened={create === true} close={() => setCreating(false)} onCreated={setCreated} />
      <TokenDrawer opened={edited !== undefined} close={close} {...(edited && { token: edited })} />
      <FindToken value={finding} close={() => setFinding(undefined)} />
      <TokenValue created={created} close={() => setCreated(undefined)} />
    </Page>
  );
}

interface FilterProps {
  search: TokenSearch;
  set: (change: Partial<TokenSearch>) => void;
  /** Finds the token with a value. */
  find: (value: string) => void;
}

function TokenFilters({ search, set, find }: FilterProps) {
  const identity = useIdentity();
  return (
    <Group gap="xs">
      <SearchInput
        label={t`Search by name or ID`}
        value={search.search ?? ""}
        maxLength={512}
        onSearch={(text) => set({ search: text || undefined })}
        onTokenValue={find}
      />
      <Select
        aria-label={t`Status`}
        w={{ base: "100%", xs: 150 }}
        data={[
          { value: "", label: t`Not revoked` },
          ...tokenStates.map((value) => ({
            value,
            label: value === "all" ? t`All, including revoked` : statusWord(value),
          })),
        ]}
        value={search.status ?? ""}
        allowDeselect={false}
        onChange={(value) => set({ status: tokenStates.find((state) => state === value) })}
      />
      {isOperator(identity) && (
        <RemoteSelect
          kind="tenants"
          aria-label={t`Tenant`}
          placeholder={t`All tenants`}
          w={{ base: "100%", xs: 200 }}
          search={(text) => searchTenants(text)}
          value={search.tenant}
          onChange={(tenant) => set({ tenant })}
        />
      )}
      {identity.user.role !== "member" && (
        <RemoteSelect
          kind="users"
          aria-label={t`Owner`}
          placeholder={t`All owners`}
          w={{ base: "100%", xs: 220 }}
          search={(text) => searchUsers(identity, text)}
          value={search.user}
          onChange={(user) => set({ user })}
        />
      )}
    </Group>
  );
}
