import { Anchor, Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMailPlus, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { type CreatedLink, CreatedLinkModal } from "@/components/members/CreatedLink";
import { Role } from "@/components/members/Role";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Status, Usd } from "@/components/values";

import { CreateUser } from "./CreateUser";
import { EditUser } from "./EditUser";
import { GroupName } from "./groups";
import { InviteUser } from "./InviteUser";
import { type UserActions, UserMenu } from "./UserMenu";
import { UserSessions } from "./UserSessions";

type User = Schema<"User">;
type Tenant = Schema<"Tenant">;

function columnsFor(tenant: Tenant | undefined, actions: UserActions): Column<User>[] {
  return [
    {
      header: "User",
      width: "28%",
      cell: (user) => (
        <Anchor component="button" type="button" c="inherit" fw={500} ta="left" onClick={() => actions.edit(user)}>
          {user.email}
        </Anchor>
      ),
    },
    ...(tenant
      ? []
      : [
          {
            header: "Tenant",
            cell: (user: User) =>
              user.tenant_id ? (
                <Anchor component={Link} to={`/operator/tenants/${user.tenant_id}`} c="inherit">
                  <TenantName id={user.tenant_id} />
                </Anchor>
              ) : (
                "Platform"
              ),
          },
        ]),
    { header: "Role", width: 110, cell: (user) => <Role role={user.role} /> },
    { header: "Group", width: 110, cell: (user) => user.group_id && <GroupName id={user.group_id} />, secondary: true },
    { header: "Status", width: 120, cell: (user) => <Status value={user.status} /> },
    { header: "Used", align: "right", width: 90, cell: (user) => <Usd amount={user.quota.used} short />, secondary: true },
    { header: "Joined", align: "right", width: 140, cell: (user) => <Moment at={user.created_at} />, secondary: true },
    { header: "Actions", align: "right", width: 80, cell: (user) => <UserMenu user={user} {...actions} /> },
  ];
}

interface UserListProps {
  tenant?: Tenant;
  search?: string;
  /** The search field, shown next to the buttons. */
  children?: ReactNode;
}

/** Lists the users of one tenant or of all tenants. */
export function UserList({ tenant, search = "", children }: UserListProps) {
  const [creating, create] = useDisclosure();
  const [inviting, invite] = useDisclosure();
  const [made, setMade] = useState<CreatedLink>();
  const [edited, setEdited] = useState<User>();
  const [seen, setSeen] = useState<User>();
  const query = { search: search || undefined, tenant_id: tenant?.id };
  const pages = usePages(["users", query], (after) => ask(api.GET("/api/operator/users", { params: { query: { ...query, after } } })));
  return (
    <>
      <Group gap="xs" mb={tenant ? "sm" : 0}>
        {children}
        <Button variant="default" ml="auto" leftSection={<IconUserPlus size={16} />} onClick={create.open}>
          Add with a password
        </Button>
        <Button leftSection={<IconMailPlus size={16} />} onClick={invite.open}>
          Invite
        </Button>
      </Group>
      <DataTable
        caption="Users"
        columns={columnsFor(tenant, { edit: setEdited, sessions: setSeen, linked: setMade })}
        rows={pages.rows}
        rowKey={(user) => user.id}
        onRowClick={setEdited}
        faded={(user) => user.status === "disabled"}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={<EmptyState icon={IconUsers} title={search ? "Nobody has this in the address" : "Nobody here yet"}>{tenant && "Invite the owner, who then invites the others."}</EmptyState>}
        footer={<Pager pages={pages} />}
      />
      <InviteUser opened={inviting} close={invite.close} tenant={tenant} linked={setMade} />
      <CreatedLinkModal made={made} close={() => setMade(undefined)} />
      <CreateUser opened={creating} close={create.close} tenant={tenant} />
      <EditUser user={edited} close={() => setEdited(undefined)} />
      <UserSessions user={seen} close={() => setSeen(undefined)} />
    </>
  );
}
