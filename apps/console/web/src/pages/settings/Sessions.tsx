import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { agentName } from "@/components/agent";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment } from "@/components/values";

import { Settings } from "./Settings";
import { SettingsCard } from "./SettingsCard";

type Session = Schema<"Session">;

const methodNames: Record<string, MessageDescriptor> = {
  password: msg`Password`,
  passkey: msg`Passkey`,
  invitation: msg`Invitation`,
  oidc: msg`Single sign-on`,
  tenant_issuer: msg`Single sign-on`,
  totp: msg`Password and code`,
};

/** Returns the name of a way to sign in. A way that is new to this console is shown as the API names it. */
function methodName(means: string): string {
  const name = methodNames[means];
  return name ? i18n._(name) : means;
}

function end({ id, user_agent }: Session) {
  const client = agentName(user_agent);
  confirm({
    title: t`End this session?`,
    children: (
      <Text>
        <Trans>
          <b>{client}</b> is signed out at once.
        </Trans>
      </Text>
    ),
    confirm: t`End session`,
    act: async () => {
      await ask(api.DELETE("/api/sessions/{id}", { params: { path: { id } } }));
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
}

function endOthers() {
  confirm({
    title: t`Sign out everywhere else?`,
    children: t`All your other sessions end at once.`,
    confirm: t`Sign out everywhere else`,
    act: async () => {
      await ask(api.DELETE("/api/sessions"));
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      notifications.show({ message: t`All your other sessions were ended.`, color: "green" });
    },
  });
}

const columns = (): Column<Session>[] => [
  {
    id: "client",
    header: t`Client`,
    cell: (session) => (
      <Group gap={8} justify="inherit">
        <Text component="span" inherit fw={500} title={session.user_agent}>
          {agentName(session.user_agent)}
        </Text>
        {session.current && (
          <Badge color="green">
            <Trans>This session</Trans>
          </Badge>
        )}
      </Group>
    ),
  },
  { id: "signed_in_with", header: t`Signed in with`, width: 150, cell: (session) => methodName(session.means) },
  {
    id: "ip_address",
    header: t`IP address`,
    width: 150,
    cell: (session) => (session.address ? <span className="mono">{session.address}</span> : t`Unknown`),
  },
  {
    id: "signed_in",
    header: t`Signed in`,
    width: 150,
    cell: (session) => <Moment at={session.created_at} />,
    secondary: true,
  },
  { id: "last_active", header: t`Last active`, width: 150, cell: (session) => <Moment at={session.last_seen} /> },
  {
    id: "actions",
    actions: true,
    header: t`Actions`,
    width: 80,
    align: "right",
    cell: (session) =>
      !session.current && (
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => end(session)}>
          <Trans context="session">End</Trans>
        </Button>
      ),
  },
];

/** Lists the sessions of the signed-in user. */
export function Sessions() {
  return (
    <Settings tab="/settings/sessions">
      <SessionList />
    </Settings>
  );
}

function SessionList() {
  const pages = usePages(["sessions"], (after) => ask(api.GET("/api/sessions", { params: { query: { after } } })));
  const alone = pages.page === 1 && !pages.older && (pages.rows?.length ?? 0) <= 1;
  return (
    <SettingsCard
      title={t`Sessions`}
      description={t`Devices and programs that are signed in as you. If you don't recognize one, end its session and change your password.`}
      actions={
        <Button variant="default" color="red" onClick={endOthers} disabled={alone}>
          <Trans>Sign out everywhere else</Trans>
        </Button>
      }
    >
      <DataTable
        caption={t`Sessions`}
        columns={columns()}
        rows={pages.rows}
        rowKey={(session) => session.id}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={3}
        empty={<EmptyState title={t`No sessions`} />}
        footer={<Pager pages={pages} />}
      />
    </SettingsCard>
  );
}
