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
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Status } from "@/components/values";

type Invitation = Schema<"Invitation">;

const refresh = () => queryClient.invalidateQueries({ queryKey: ["invitations"] });

function revoke({ id, email }: Invitation) {
  confirm({
    title: "Revoke this invitation?",
    children: (
      <Text>
        The link that <b>{email}</b> got leads nowhere then.
      </Text>
    ),
    confirm: "Revoke",
    act: async () => {
      await ask(api.POST("/api/invitations/{id}/revoke", { params: { path: { id } } }));
      await refresh();
    },
  });
}

function Actions({ invitation, made }: { invitation: Invitation; made: (invitation: Schema<"MadeInvitation">) => void }) {
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
        Send again
      </Button>
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => revoke(invitation)}>
        Revoke
      </Button>
    </Group>
  );
}

const columns: Column<Invitation>[] = [
  { header: "Invited", cell: (invitation) => <Text component="span" inherit fw={500}>{invitation.email}</Text> },
  { header: "Role", width: 110, cell: (invitation) => <Role role={invitation.role} /> },
  { header: "Status", width: 120, cell: (invitation) => <Status value={invitation.status} /> },
  { header: "By", cell: (invitation) => invitation.invited_by, secondary: true },
  { header: "Sent", width: 120, cell: (invitation) => <Moment at={invitation.sent_at} />, secondary: true },
  { header: "Ends", width: 120, cell: (invitation) => <Moment at={invitation.expires_at} /> },
];

/** Shows the tenant's invitations and their status. */
export function Invitations({ made }: { made: (invitation: Schema<"MadeInvitation">) => void }) {
  const pages = usePages(["invitations"], (after) => ask(api.GET("/api/invitations", { params: { query: { after, limit: 20 } } })));
  return (
    <Section title="Invitations">
      <DataTable
        caption="People who were invited"
        columns={[...columns, { header: "Actions", align: "right", width: 180, cell: (invitation) => <Actions invitation={invitation} made={made} /> }]}
        rows={pages.rows}
        rowKey={(invitation) => invitation.id}
        faded={(invitation) => invitation.status === "revoked" || invitation.status === "accepted"}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={2}
        empty={<EmptyState title="Nobody is invited">Invitations that are open, accepted or over stand here for a while.</EmptyState>}
        footer={<Pager pages={pages} />}
      />
    </Section>
  );
}
