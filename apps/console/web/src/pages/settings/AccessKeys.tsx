import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Button, Group, Switch, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { useIdentity } from "@/api/session";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { UserName } from "@/components/names";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment } from "@/components/values";
import { showUsd } from "@/format/money";

import { CreateAccessKey, KeyValue } from "./CreateAccessKey";
import { Settings } from "./Settings";
import { SettingsCard } from "./SettingsCard";

type AccessKey = Schema<"AccessKey">;

const isExpired = (key: AccessKey) => Date.parse(key.expires_at) < Date.now();

function revoke({ id, name }: AccessKey) {
  confirm({
    title: t`Revoke this access key?`,
    children: (
      <Text>
        <Trans>
          Programs that use <b>{name}</b> stop working at once. This can't be undone.
        </Trans>
      </Text>
    ),
    confirm: t`Revoke`,
    act: async () => {
      await ask(api.DELETE("/api/access-keys/{id}", { params: { path: { id } } }));
      await queryClient.invalidateQueries({ queryKey: ["access-keys"] });
    },
  });
}

/** Shows the scopes of a key, those that permit changes in another color, and its limit. */
function Scopes({ of: key }: { of: AccessKey }) {
  const limit = key.grant_limit && showUsd(key.grant_limit);
  return (
    <Group gap={4}>
      {key.scopes.map((scope) => (
        <Badge key={scope} color={scope.endsWith(":write") ? "yellow" : "gray"} tt="none">
          {scope}
        </Badge>
      ))}
      {limit && (
        <Text size="sm">
          <Trans>up to {limit} a day</Trans>
        </Text>
      )}
    </Group>
  );
}

/** Shows the addresses of a key: the list has the first 20. */
function Addresses({ of: key }: { of: AccessKey }) {
  const shown = key.addresses.join(", ");
  return <span className="mono">{key.addresses_count > key.addresses.length ? `${shown}, …` : shown}</span>;
}

const columns = (): Column<AccessKey>[] => [
  {
    id: "name",
    header: t`Name`,
    value: (key) => key.name,
    cell: (key) => (
      <Text component="span" inherit fw={500}>
        {key.name}
      </Text>
    ),
  },
  {
    id: "key",
    header: t`Key`,
    value: (key) => key.mask,
    cell: (key) => <span className="mono">{key.mask}</span>,
    secondary: true,
  },
  { id: "scopes", header: t`Scopes`, value: (key) => key.scopes.join(" "), cell: (key) => <Scopes of={key} /> },
  {
    id: "allowed_ips",
    header: t`Allowed IPs`,
    value: (key) => key.addresses.join(" "),
    cell: (key) => (key.addresses.length === 0 ? t`Any` : <Addresses of={key} />),
    secondary: true,
  },
  {
    id: "last_used",
    header: t`Last used`,
    width: 150,
    value: (key) => key.last_used,
    cell: (key) => <Moment at={key.last_used} />,
  },
  {
    id: "expires",
    header: t`Expires`,
    width: 150,
    value: (key) => key.expires_at,
    cell: (key) => <Moment at={key.expires_at} />,
  },
  {
    id: "actions",
    actions: true,
    header: t`Actions`,
    width: 100,
    align: "right",
    cell: (key) => (
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => revoke(key)}>
        <Trans>Revoke</Trans>
      </Button>
    ),
  },
];

const withUser = (): Column<AccessKey>[] => {
  const [name, ...others] = columns();
  return [
    ...(name ? [name] : []),
    { id: "user", header: t`User`, cell: (key) => <UserName id={key.user_id} /> },
    ...others,
  ];
};

/** Lists the access keys with which programs call the console's API. */
export function AccessKeys() {
  return (
    <Settings tab="/settings/access-keys">
      <KeyList />
    </Settings>
  );
}

function KeyList() {
  const { user } = useIdentity();
  const [all, setAll] = useState(false);
  const [creating, create] = useDisclosure();
  const [created, setCreated] = useState<Schema<"CreatedAccessKey">>();
  const pages = usePages(["access-keys", { all }], (after) =>
    ask(api.GET("/api/access-keys", { params: { query: { after, user_id: all ? undefined : user.id } } })),
  );
  return (
    <SettingsCard
      title={t`Access keys`}
      description={t`For programs that call the console's API, for example to read usage logs. A key acts as you, within its scopes. To call models, create a token instead.`}
      actions={
        <Button leftSection={<IconKey size={16} />} onClick={create.open}>
          <Trans>Create an access key</Trans>
        </Button>
      }
    >
      {user.role !== "member" && (
        <Switch label={t`Keys of all users`} checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
      )}
      <DataTable
        table="access-keys"
        caption={t`Access keys`}
        whole={pages.whole}
        columns={all ? withUser() : columns()}
        rows={pages.rows}
        rowKey={(key) => key.id}
        faded={isExpired}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={3}
        empty={<EmptyState icon={IconKey} title={t`No access keys`} />}
        footer={<Pager pages={pages} />}
      />
      <CreateAccessKey opened={creating} close={create.close} created={setCreated} />
      <KeyValue created={created} close={() => setCreated(undefined)} />
    </SettingsCard>
  );
}
