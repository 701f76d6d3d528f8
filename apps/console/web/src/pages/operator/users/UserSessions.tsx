import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDeviceDesktop } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment } from "@/components/values";

type User = Schema<"User">;
type Session = Schema<"Session">;

const columns = (): Column<Session>[] => [
  {
    id: "client",
    header: t`Client`,
    cell: (session) => (
      <Stack gap={0}>
        <span className="mono">{session.address || t`Unknown IP address`}</span>
        <Text size="xs" c="dimmed" lineClamp={2} title={session.user_agent}>
          {session.user_agent || t`Unknown client`}
        </Text>
      </Stack>
    ),
  },
  {
    id: "last_active",
    header: t`Last active`,
    align: "right",
    width: 130,
    cell: (session) => <Moment at={session.last_seen} />,
  },
];

function endAll(user: User) {
  const { email } = user;
  confirm({
    title: t`End all sessions?`,
    children: t`${email} will have to sign in again everywhere.`,
    confirm: t`End all sessions`,
    act: async () => {
      await ask(api.DELETE("/api/operator/users/{id}/sessions", { params: { path: { id: user.id } } }));
      await queryClient.invalidateQueries({ queryKey: ["user-sessions", user.id] });
      notifications.show({ message: t`${email} is signed out everywhere.`, color: "green" });
    },
  });
}

/** Lists the sessions of a user. */
export function UserSessions({ user, close }: { user: User | undefined; close: () => void }) {
  const email = user?.email ?? "";
  return (
    <Modal opened={user !== undefined} onClose={close} title={t`Sessions of ${email}`} size="lg">
      {user && <SessionList user={user} />}
    </Modal>
  );
}

function SessionList({ user }: { user: User }) {
  const { email } = user;
  const pages = usePages(["user-sessions", user.id], (after) =>
    ask(api.GET("/api/operator/users/{id}/sessions", { params: { path: { id: user.id }, query: { after } } })),
  );
  return (
    <Stack>
      <DataTable
        caption={t`Sessions of ${email}`}
        columns={columns()}
        rows={pages.rows}
        rowKey={(session) => session.id}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={3}
        empty={<EmptyState icon={IconDeviceDesktop} title={t`No sessions`} />}
        footer={<Pager pages={pages} />}
      />
      {pages.rows && pages.rows.length > 0 && (
        <Button color="red" variant="light" onClick={() => endAll(user)} ml="auto">
          <Trans>End all sessions</Trans>
        </Button>
      )}
    </Stack>
  );
}
