import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconKey, IconMail, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { type Identity, isAdmin, useIdentity } from "@/api/session";
import { type CreatedLink, CreatedLinkModal } from "@/components/members/CreatedLink";
import { type PeopleSearch, peopleSorts } from "@/components/members/search";
import { DataTable } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { useListOrder } from "@/components/table/useListOrder";
import { usePages } from "@/components/usePages";

import { AdminsOnly } from "./AdminsOnly";
import { memberColumns } from "./columns";
import { CreateMember } from "./CreateMember";
import { EditMember } from "./EditMember";
import { Invitations } from "./Invitations";
import { InviteMember } from "./InviteMember";
import { MemberMenu } from "./MemberMenu";

type User = Schema<"User">;

const route = getRouteApi("/signed-in/members");

/** Shows the users of the caller's tenant. */
export function Members() {
  const identity = useIdentity();
  return isAdmin(identity) ? <People identity={identity} /> : <AdminsOnly />;
}

function People({ identity }: { identity: Identity }) {
  const [adding, add] = useDisclosure();
  const [inviting, invite] = useDisclosure();
  const [edited, setEdited] = useState<User>();
  const [made, setMade] = useState<CreatedLink>();
  const invited = (invitation: Schema<"MadeInvitation">) =>
    setMade({
      title: t`Invitation`,
      email: invitation.email,
      link: invitation,
      purpose: t`Whoever opens the link sets a password and is signed in. The link works once.`,
    });
  return (
    <Page
      wide
      title={t`Members`}
      description={t`The people in your organization, with their roles and quotas.`}
      actions={<AddMenu invite={invite.open} add={add.open} />}
    >
      <MemberList identity={identity} edit={setEdited} linked={setMade} />
      <Invitations made={invited} />
      <InviteMember opened={inviting} close={invite.close} made={invited} />
      <CreateMember opened={adding} close={add.close} />
      <EditMember member={edited} close={() => setEdited(undefined)} />
      <CreatedLinkModal made={made} close={() => setMade(undefined)} />
    </Page>
  );
}

function AddMenu({ invite, add }: { invite: () => void; add: () => void }) {
  return (
    <Button.Group>
      <Button leftSection={<IconUserPlus size={16} />} onClick={invite}>
        <Trans>Invite</Trans>
      </Button>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <Button
            px={8}
            aria-label={t`Other ways to add a member`}
            style={{ borderInlineStart: "1px solid rgb(255 255 255 / 25%)" }}
          >
            <IconChevronDown size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconMail size={16} />} onClick={invite}>
            <Trans>Invite with a link</Trans>
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} />} onClick={add}>
            <Trans>Add with a password</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  );
}

function MemberList({
  identity,
  edit,
  linked,
}: {
  identity: Identity;
  edit: (member: User) => void;
  linked: (made: CreatedLink) => void;
}) {
  const asked = route.useSearch();
  const { search } = asked;
  const navigate = route.useNavigate();
  const open = useNavigate();
  const set = (change: PeopleSearch) => void navigate({ search: { ...asked, ...change }, replace: true });
  const searchFor = (text: string) => set({ search: text || undefined });
  const { order, query } = useListOrder({ columns: peopleSorts, search: asked, set, table: "members" });
  const pages = usePages(["members", { search, ...query }], (after) =>
    ask(api.GET("/api/members", { params: { query: { ...query, after, search, limit: 100 } } })),
  );
  const menu = {
    id: "actions",
    actions: true,
    header: t`Actions`,
    align: "right" as const,
    width: 80,
    cell: (member: User) => (
      <MemberMenu member={member} identity={identity} edit={() => edit(member)} linked={linked} />
    ),
  };
  return (
    <>
      <SearchInput label={t`Search by email address`} value={search ?? ""} onSearch={searchFor} />
      <DataTable
        table="members"
        caption={t`Members`}
        whole={pages.whole}
        order={order}
        columns={[...memberColumns(identity.user.id), menu]}
        rows={pages.rows}
        rowKey={(member) => member.id}
        onRowClick={({ id }) => void open({ to: "/members/$id", params: { id } })}
        faded={(member) => member.status === "disabled"}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={
          <EmptyState icon={IconUsers} title={search ? t`No members match your search` : t`No members yet`}>
            {search ? (
              <Anchor component="button" onClick={() => searchFor("")}>
                <Trans>Show all members</Trans>
              </Anchor>
            ) : (
              <Trans>Invite teammates, so that they can create tokens and see usage.</Trans>
            )}
          </EmptyState>
        }
        footer={<Pager pages={pages} />}
      />
    </>
  );
}
