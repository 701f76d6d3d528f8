import { Badge, Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment } from "@/components/values";

import { agentName } from "./agent";
import { Settings } from "./Settings";
import { SettingsCard } from "./SettingsCard";

type Session = Schema<"Session">;

const methodNames: Record<string, string> = { password: "Password", passkey: "Passkey", invitation: "Invitation", oidc: "Single sign-on", tenant_issuer: "Single sign-on", totp: "Password and code" };

function end({ id, user_agent }: Session) {
  confirm({
    title: "End this session?",
    children: (
      <Text>
        <b>{agentName(user_agent)}</b> is signed out at once.
      </Text>
    ),
    confirm: "End session",
    act: async () => {
      await ask(api.DELETE("/api/sessions/{id}", { params: { path: { id } } }));
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
}

function endOthers() {
  confirm({
    title: "Sign out everywhere else?",
    children: "All your sessions but this one end at once.",
    confirm: "Sign out everywhere else",
    act: async () => {
      await ask(api.DELETE("/api/sessions"));
      await queryClient.invalidateQueries({ queryKey: ["sessions"] });
      notifications.show({ message: "All your other sessions were ended.", color: "green" });
    },
  });
}

const columns: Column<Session>[] = [
  {
    header: "Program",
    cell: (session) => (
      <Group gap={8} justify="inherit">
        <Text component="span" inherit fw={500} title={session.user_agent}>
          {agentName(session.user_agent)}
        </Text>
        {session.current && <Badge color="green">This one</Badge>}
      </Group>
    ),
  },
  { header: "Opened by", width: 150, cell: (session) => methodNames[session.means] ?? session.means },
  { header: "Address", width: 150, cell: (session) => (session.address ? <span className="mono">{session.address}</span> : "Unknown") },
  { header: "Signed in", width: 150, cell: (session) => <Moment at={session.created_at} />, secondary: true },
  { header: "Last seen", width: 150, cell: (session) => <Moment at={session.last_seen} /> },
  {
    header: "Actions",
    width: 80,
    align: "right",
    cell: (session) =>
      !session.current && (
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => end(session)}>
          End
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
      title="Sessions"
      description="Programs that are signed in as you. End those that you do not know, and change your password."
      actions={
        <Button variant="default" color="red" onClick={endOthers} disabled={alone}>
          Sign out everywhere else
        </Button>
      }
    >
      <DataTable
        caption="Programs that are signed in"
        columns={columns}
        rows={pages.rows}
        rowKey={(session) => session.id}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={3}
        empty={<EmptyState title="No sessions" />}
        footer={<Pager pages={pages} />}
      />
    </SettingsCard>
  );
}
