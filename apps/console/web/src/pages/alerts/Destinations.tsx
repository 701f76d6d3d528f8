import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Menu, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import {
  IconKey,
  IconMailForward,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlus,
  IconSend,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { messageOf } from "@/api/problem";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { RowMenu } from "@/components/RowMenu";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { Status } from "@/components/values";

import { channels } from "./channels";
import { CreateDestination } from "./CreateDestination";
import { EditDestination } from "./EditDestination";
import { type Destination, refreshAlerts, useDestinations } from "./queries";
import { SigningSecret } from "./SigningSecret";

/** Lists the destinations, with the buttons to create, test, disable and delete them. */
export function Destinations({ operator }: { operator: boolean }) {
  const destinations = useDestinations();
  const [creating, setCreating] = useState(false);
  const [editing, setEditing] = useState<Destination>();
  const [secret, setSecret] = useState<string>();
  const columns: Column<Destination>[] = [
    {
      id: "name",
      header: t`Name`,
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Text component="span" inherit fw={500}>
          {name}
        </Text>
      ),
    },
    {
      id: "kind",
      header: t`Kind`,
      width: 220,
      value: ({ channel }) => i18n._(channels[channel]),
      cell: ({ channel }) => i18n._(channels[channel]),
    },
    {
      id: "target",
      header: t`Target`,
      value: ({ target }) => target,
      cell: ({ target }) => (
        <Text component="span" inherit style={{ overflowWrap: "anywhere" }}>
          {target}
        </Text>
      ),
    },
    {
      id: "status",
      header: t`Status`,
      width: 120,
      value: ({ status }) => status,
      cell: ({ status }) => <Status value={status} />,
    },
    {
      id: "actions",
      actions: true,
      header: t`Actions`,
      width: 200,
      align: "right",
      cell: (destination) => <Actions destination={destination} edit={setEditing} replaced={setSecret} />,
    },
  ];
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      <Trans>Create destination</Trans>
    </Button>
  );
  return (
    <Section title={t`Destinations`} actions={destinations.data?.items.length ? create : undefined}>
      <DataTable
        table="alert-destinations"
        whole
        caption={t`Destinations of alerts`}
        columns={columns}
        rows={destinations.data?.items}
        rowKey={({ id }) => id}
        faded={({ status }) => status === "disabled"}
        error={destinations.error}
        retry={() => void destinations.refetch()}
        skeletonRows={2}
        empty={
          <EmptyState icon={IconMailForward} title={t`No destinations yet`} action={create}>
            <Trans>Alerts go to people by mail, and to programs by webhook.</Trans>
          </EmptyState>
        }
      />
      <CreateDestination opened={creating} close={() => setCreating(false)} operator={operator} created={setSecret} />
      <EditDestination destination={editing} close={() => setEditing(undefined)} replaced={setSecret} />
      <SigningSecret secret={secret} close={() => setSecret(undefined)} />
    </Section>
  );
}

const show = (error: unknown) => notifications.show({ message: messageOf(error), color: "red" });

async function test({ id, name }: Destination) {
  try {
    await ask(api.POST("/api/alert-destinations/{id}/test", { params: { path: { id } } }));
    await refreshAlerts();
    notifications.show({
      message: t`A test alert to ${name} is on its way. The history shows its delivery.`,
      color: "green",
    });
  } catch (error) {
    show(error);
  }
}

async function setStatus({ id }: Destination, status: Destination["status"]) {
  try {
    await ask(api.PATCH("/api/alert-destinations/{id}", { params: { path: { id } }, body: { status } }));
    await refreshAlerts();
  } catch (error) {
    show(error);
  }
}

function replaceSecret({ id, name }: Destination, replaced: (secret: string) => void) {
  confirm({
    title: t`Replace the signing secret?`,
    children: (
      <Text>
        <Trans>
          All further webhooks to <b>{name}</b> are signed with the new secret. The receiver must know it.
        </Trans>
      </Text>
    ),
    confirm: t`Replace`,
    act: async () =>
      replaced((await ask(api.POST("/api/alert-destinations/{id}/secret", { params: { path: { id } } }))).secret ?? ""),
  });
}

function remove({ id, name }: Destination) {
  confirm({
    title: t`Delete this destination?`,
    children: (
      <Text>
        <Trans>
          <b>{name}</b> is taken out of all rules. Alerts that wait for it are not sent.
        </Trans>
      </Text>
    ),
    confirm: t`Delete`,
    act: async () => {
      await ask(api.DELETE("/api/alert-destinations/{id}", { params: { path: { id } } }));
      await refreshAlerts();
    },
  });
}

interface ActionsProps {
  destination: Destination;
  edit: (destination: Destination) => void;
  replaced: (secret: string) => void;
}

function Actions({ destination, edit, replaced }: ActionsProps) {
  const { name, status, channel } = destination;
  const [sending, setSending] = useState(false);
  const sendTest = async () => {
    setSending(true);
    await test(destination);
    setSending(false);
  };
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconSend size={14} />}
        disabled={status === "disabled"}
        loading={sending}
        aria-label={t`Send a test to ${name}`}
        onClick={() => void sendTest()}
      >
        <Trans>Test</Trans>
      </Button>
      <RowMenu label={t`Actions for ${name}`} width={230}>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => edit(destination)}>
          <Trans>Edit</Trans>
        </Menu.Item>
        {channel === "webhook" && (
          <Menu.Item leftSection={<IconKey size={16} />} onClick={() => replaceSecret(destination, replaced)}>
            <Trans>Replace signing secret</Trans>
          </Menu.Item>
        )}
        {status === "enabled" ? (
          <Menu.Item
            leftSection={<IconPlayerPause size={16} />}
            onClick={() => void setStatus(destination, "disabled")}
          >
            <Trans>Disable</Trans>
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconPlayerPlay size={16} />} onClick={() => void setStatus(destination, "enabled")}>
            <Trans>Enable</Trans>
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => remove(destination)}>
          <Trans>Delete</Trans>
        </Menu.Item>
      </RowMenu>
    </Group>
  );
}
