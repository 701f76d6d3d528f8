import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMailPlus, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { knownTenantName } from "@/api/names";
import { type CreatedLink, CreatedLinkModal } from "@/components/members/CreatedLink";
import { Role } from "@/components/members/Role";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { Pager } from "@/components/Pager";
import { roleName } from "@/components/roles";
import { EmptyState } from "@/components/states";
import type { useListOrder } from "@/components/table/useListOrder";
import { usePages } from "@/components/usePages";
import { Moment, Status, Usd } from "@/components/values";
import { parseUsd } from "@/format/money";

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
      id: "user",
      header: t`User`,
      value: (user) => user.email,
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
            id: "tenant",
            header: t`Tenant`,
            value: (user: User) => (user.tenant_id ? knownTenantName(user.tenant_id) : t`Platform`),
            cell: (user: User) =>
              user.tenant_id ? (
                <Anchor component={Link} to={`/operator/tenants/${user.tenant_id}`} c="inherit">
                  <TenantName id={user.tenant_id} />
                </Anchor>
              ) : (
                t`Platform`
              ),
          },
        ]),
    {
      id: "role",
      header: t`Role`,
      width: 110,
      value: (user) => roleName(user.role),
      cell: (user) => <Role role={user.role} />,
    },
    {
      id: "group",
      header: t`Group`,
      width: 110,
      cell: (user) => user.group_id && <GroupName id={user.group_id} />,
      secondary: true,
    },
    {
      id: "status",
      header: t`Status`,
      width: 120,
      value: (user) => user.status,
      cell: (user) => <Status value={user.status} />,
    },
    {
      id: "used",
      header: t`Used`,
      align: "right",
      width: 90,
      value: (user) => user.quota.used,
      sortBy: (user) => parseUsd(user.quota.used),
      cell: (user) => <Usd amount={user.quota.used} short />,
      secondary: true,
    },
    {
      id: "joined",
      header: t`Joined`,
      align: "right",
      width: 140,
      value: (user) => user.created_at,
      cell: (user) => <Moment at={user.created_at} />,
      secondary: true,
    },
    {
      id: "actions",
      actions: true,
      header: t`Actions`,
      align: "right",
      width: 80,
      cell: (user) => <UserMenu user={user} {...actions} />,
    },
  ];
}

interface UserListProps {
  tenant?: Tenant;
  search?: string;
  /** The order of the list. Without one it has its own. */
  list?: ReturnType<typeof useListOrder<"created_at">>;
  /** The search field, shown next to the buttons. */
  children?: ReactNode;
}

/** Lists the users of one tenant or of all tenants. */
export function UserList({ tenant, search = "", list, children }: UserListProps) {
  const [creating, create] = useDisclosure();
  const [inviting, invite] = useDisclosure();
  const [made, setMade] = useState<CreatedLink>();
  const [edited, setEdited] = useState<User>();
  const [seen, setSeen] = useState<User>();
  const query = { search: search || undefined, tenant_id: tenant?.id, ...list?.query };
  const pages = usePages(["users", query], (after) =>
    ask(api.GET("/api/operator/users", { params: { query: { ...query, after, limit: 100 } } })),
  );
  return (
    <>
      <Group gap="xs" mb={tenant ? "sm" : 0}>
        {children}
        <Button variant="default" ml="auto" leftSection={<IconUserPlus size={16} />} onClick={create.open}>
          <Trans>Add with a password</Trans>
        </Button>
        <Button leftSection={<IconMailPlus size={16} />} onClick={invite.open}>
          <Trans>Invite</Trans>
        </Button>
      </Group>
      <DataTable
        table="users"
        caption={t`Users`}
        whole={pages.whole}
        {...(list && { order: list.order })}
        columns={columnsFor(tenant, { edit: setEdited, sessions: setSeen, linked: setMade })}
        rows={pages.rows}
        rowKey={(user) => user.id}
        onRowClick={setEdited}
        faded={(user) => user.status === "disabled"}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={
          <EmptyState icon={IconUsers} title={search ? t`No users match your search` : t`No users yet`}>
            {tenant && t`Invite the owner, who can then invite the others.`}
          </EmptyState>
        }
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
