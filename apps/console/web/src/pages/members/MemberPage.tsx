import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPencil, IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { isAdmin, mayChange, useIdentity } from "@/api/session";
import { type CreatedLink, CreatedLinkModal } from "@/components/members/CreatedLink";
import { DescriptionList } from "@/components/DescriptionList";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { QuotaBar } from "@/components/quota/QuotaBar";
import { roleName } from "@/components/roles";
import { EmptyState, ErrorState, LoadingState } from "@/components/states";
import { UsageByModel } from "@/components/usage/UsageByModel";
import { Copyable, Moment, Status, Usd } from "@/components/values";

import { AdminsOnly } from "./AdminsOnly";
import { EditMember } from "./EditMember";
import { MemberMenu } from "./MemberMenu";

type User = Schema<"User">;

const route = getRouteApi("/signed-in/members/$id");
const parent = () => ({ to: "/members", label: t`Members` }) as const;

/** Shows one member with the quota, the usage, and links to tokens and requests. */
export const MemberPage = () => (isAdmin(useIdentity()) ? <Found /> : <AdminsOnly />);

function Found() {
  const { id } = route.useParams();
  const query = useQuery({
    queryKey: ["members", "one", id],
    queryFn: () => ask(api.GET("/api/members", { params: { query: { search: id, limit: 1 } } })),
  });
  const member = query.data?.items[0];
  if (member) return <Shown key={member.id} member={member} />;
  return (
    <Page title={t`Member`} parent={parent()}>
      {query.error ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : query.data ? (
        <EmptyState icon={IconUsers} title={t`No such member`} />
      ) : (
        <LoadingState />
      )}
    </Page>
  );
}

function Shown({ member }: { member: User }) {
  const identity = useIdentity();
  const [editing, edit] = useDisclosure();
  const [made, setMade] = useState<CreatedLink>();
  const { quota } = member;
  return (
    <Page
      title={member.email}
      parent={parent()}
      aside={<Status value={member.status} />}
      actions={
        <>
          <ButtonLink variant="default" to="/tokens" search={{ user: member.id }}>
            <Trans>Tokens</Trans>
          </ButtonLink>
          <ButtonLink variant="default" to="/usage-logs" search={{ user: member.id }}>
            <Trans>Usage logs</Trans>
          </ButtonLink>
          {mayChange(identity, member) && (
            <Button variant="default" leftSection={<IconPencil size={16} />} onClick={edit.open}>
              <Trans>Edit</Trans>
            </Button>
          )}
          <MemberMenu member={member} identity={identity} edit={edit.open} linked={setMade} />
        </>
      }
    >
      <DescriptionList
        items={[
          [t`Role`, roleName(member.role)],
          [t`Email`, member.email_proven ? t`Verified` : t`Not verified`],
          [t`Used`, <Usd key="used" amount={quota.used} short />],
          quota.granted === null ? [t`Limit`, t`None`] : [t`Limit`, <Usd key="limit" amount={quota.granted} short />],
          [t`Joined`, <Moment key="joined" at={member.created_at} />],
          [t`ID`, <Copyable key="id" value={member.id} label={t`ID`} />],
        ]}
      />
      {quota.granted !== null && <QuotaBar quota={quota} label={member.email} size={5} />}
      <UsageByModel user={member.id} />
      <EditMember member={editing ? member : undefined} close={edit.close} />
      <CreatedLinkModal made={made} close={() => setMade(undefined)} />
    </Page>
  );
}
