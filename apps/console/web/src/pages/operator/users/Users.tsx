import { t } from "@lingui/core/macro";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { type PeopleSearch, peopleSorts } from "@/components/members/search";
import { Page } from "@/components/Page";
import { SearchInput } from "@/components/SearchInput";
import { useListOrder } from "@/components/table/useListOrder";

import { UserList } from "./UserList";

const route = getRouteApi("/signed-in/operator/users");

/** Lists all users: those of every tenant and the operators. */
export function Users() {
  const asked = route.useSearch();
  const { search = "" } = asked;
  const navigate = useNavigate();
  const set = (change: PeopleSearch) =>
    void navigate({ to: "/operator/users", search: { ...asked, ...change }, replace: true });
  const list = useListOrder({ columns: peopleSorts, search: asked, set, table: "users" });
  return (
    <Page
      wide
      title={t`Users`}
      description={t`All people who can sign in: the users of all tenants, and the operators.`}
    >
      <UserList search={search} list={list}>
        <SearchInput
          label={t`Search by email address`}
          value={search}
          onSearch={(text) => set({ search: text || undefined })}
        />
      </UserList>
    </Page>
  );
}
