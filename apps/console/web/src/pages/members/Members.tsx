import { Anchor, Button, Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconKey, IconMail, IconUserPlus, IconUsers } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { isAdmin, useIdentity } from "@/api/session";
import { type CreatedLink, CreatedLinkModal } from "@/components/members/CreatedLink";
import { DataTable } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";

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
  if (!isAdmin(identity)) {
    return (
      <Page title="Members">
        <EmptyState icon={IconUsers} title="Members are for admins and owners">
          Ask an admin of your organisation.
        </EmptyState>
      </Page>
    );
  }
  return <People own={identity.user.id} />;
}

function People({ own }: { own: string }) {
  const [adding, add] = useDisclosure();
  const [inviting, invite] = useDisclosure();
  const [edited, setEdited] = useState<User>();
  const [made, setMade] = useState<CreatedLink>();
  const invited = (invitation: Schema<"MadeInvitation">) =>
    setMade({ title: "Invitation", email: invitation.email, link: invitation, purpose: "Whoever opens it sets a password and is signed in. It is good once." });
  return (
    <Page title="Members" description="Who may sign in for your organisation, what they may do, and what they may spend." actions={<AddMenu invite={invite.open} add={add.open} />}>
      <MemberList own={own} edit={setEdited} linked={setMade} />
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
        Invite
      </Button>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <Button px={8} aria-label="Other ways to add a member" style={{ borderInlineStart: "1px solid rgb(255 255 255 / 25%)" }}>
            <IconChevronDown size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconMail size={16} />} onClick={invite}>
            Invite by a link
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} />} onClick={add}>
            Add with a first password
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  );
}

function MemberList({ own, edit, linked }: { own: string; edit: (member: User) => void; linked: (made: CreatedLink) => void }) {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const searchFor = (text: string) => void navigate({ search: text ? { search: text } : {}, replace: true });
  const pages = usePages(["members", { search }], (after) => ask(api.GET("/api/members", { params: { query: { after, search } } })));
  const menu = { header: "Actions", align: "right" as const, width: 80, cell: (member: User) => <MemberMenu member={member} own={own} edit={() => edit(member)} linked={linked} /> };
  return (
    <>
      <SearchInput label="Search by e-mail address" value={search ?? ""} onSearch={searchFor} />
      <DataTable
        caption="Members"
        columns={[...memberColumns(own), menu]}
        rows={pages.rows}
        rowKey={(member) => member.id}
        onRowClick={edit}
        faded={(member) => member.status === "disabled"}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={
          <EmptyState icon={IconUsers} title={search ? "No member has this in the address" : "Nobody here yet"}>
            {search ? (
              <Anchor component="button" onClick={() => searchFor("")}>
                Show all members
              </Anchor>
            ) : (
              "Invite those who shall create tokens and see usage."
            )}
          </EmptyState>
        }
        footer={<Pager pages={pages} />}
      />
    </>
  );
}
