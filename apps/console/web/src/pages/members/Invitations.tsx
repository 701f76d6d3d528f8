import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { messageOf } from "@/api/problem";
import { queryClient } from "@/api/query";
import { Role } from "@/components/members/Role";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { Pager } from "@/components/Pager";
import { roleName } from "@/components/roles";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Status } from "@/components/values";

type Invitation = Schema<"Invitation">;

const refresh = () => queryClient.invalidateQueries({ queryKey: ["invitations"] });

function revoke({ id, email }: Invitation) {
  confirm({
    title: t`Revoke this invitation?`,
    children: (
      <Text>
        <Trans>
          The link that was sent to <b>{email}</b> stops working.
        </Trans>
      </Text>
    ),
    confirm: t`Revoke`,
    act: async () => {
      await ask(api.POST("/api/invitations/{id}/revoke", { params: { path: { id } } }));
      await refresh();
    },
  });
}

function Actions({
  invitation,
  made,
}: {
  invitation: Invitation;
  made: (invitation: Schema<"MadeInvitation">) => void;
}) {
  const resend = useMutation({
    mutationFn: () => ask(api.POST("/api/invitations/{id}/resend", { params: { path: { id: invitation.id } } })),
    onError: (error) => notifications.show({ message: messageOf(error), color: "red" }),
    onSuccess: async (renewed) => {
      await refresh();
      made(renewed);
    },
  });
  if (invitation.status !== "pending" && invitation.status !== "expired") return null;
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
        <Trans>Resend</Trans>
      </Button>
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => revoke(invitation)}>
        <Trans>Revoke</Trans>
      </Button>
    </Group>
  );
}

const columns = (): Column<Invitation>[] => [
  {
    id: "email_address",
    header: t`Email address`,
    value: (invitation) => invitation.email,
    cell: (invitation) => (
      <Text component="span" inherit fw={500}>
        {invitation.email}
      </Text>
    ),
  },
  {
    id: "role",
    header: t`Role`,
    width: 110,
    value: (invitation) => roleName(invitation.role),
    cell: (invitation) => <Role role={invitation.role} />,
  },
  {
    id: "status",
    header: t`Status`,
    width: 120,
    value: (invitation) => invitation.status,
    cell: (invitation) => (
      <Status value={invitation.status}>{invitation.status === "accepted" ? t`Accepted` : undefined}</Status>
    ),
  },
  {
    id: "invited_by",
    header: t`Invited by`,
    value: (invitation) => invitation.invited_by,
    cell: (invitation) => invitation.invited_by,
    secondary: true,
  },
  {
    id: "sent",
    header: t`Sent`,
    width: 120,
    value: (invitation) => invitation.sent_at,
    cell: (invitation) => <Moment at={invitation.sent_at} />,
    secondary: true,
  },
  {
    id: "expires",
    header: t`Expires`,
    width: 120,
    value: (invitation) => invitation.expires_at,
    cell: (invitation) => <Moment at={invitation.expires_at} />,
  },
];

/** Shows the tenant's invitations and their status. */
export function Invitations({ made }: { made: (invitation: Schema<"MadeInvitation">) => void }) {
  const pages = usePages(["invitations"], (after) =>
    ask(api.GET("/api/invitations", { params: { query: { after, limit: 20 } } })),
  );
  return (
    <Section title={t`Invitations`}>
      <DataTable
        table="invitations"
        caption={t`Invitations`}
        whole={pages.whole}
        columns={[
          ...columns(),
          {
            id: "actions",
            actions: true,
            header: t`Actions`,
            align: "right",
            width: 180,
            cell: (invitation) => <Actions invitation={invitation} made={made} />,
          },
        ]}
        rows={pages.rows}
        rowKey={(invitation) => invitation.id}
        faded={(invitation) => invitation.status === "revoked" || invitation.status === "accepted"}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={2}
        empty={
          <EmptyState title={t`No invitations`}>
            <Trans>Pending, accepted and expired invitations appear here for a while.</Trans>
          </EmptyState>
        }
        footer={<Pager pages={pages} />}
      />
    </Section>
  );
}
