import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { Page } from "@/components/Page";
import { SearchInput } from "@/components/SearchInput";

import { UserList } from "./UserList";

const route = getRouteApi("/signed-in/operator/users");

/** Lists all users: those of every tenant and the operators. */
export function Users() {
  const { search = "" } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Page title="Users" description="All people who may sign in: of every tenant, and those who run the platform.">
      <UserList search={search}>
        <SearchInput label="Search by e-mail address" value={search} onSearch={(text) => void navigate({ to: "/operator/users", search: { search: text || undefined }, replace: true })} />
      </UserList>
    </Page>
  );
}
