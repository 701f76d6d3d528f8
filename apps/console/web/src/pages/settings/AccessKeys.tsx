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
    title: "Revoke this access key?",
    children: (
      <Text>
        Programs that use <b>{name}</b> are refused at once. This cannot be undone.
      </Text>
    ),
    confirm: "Revoke",
    act: async () => {
      await ask(api.DELETE("/api/access-keys/{id}", { params: { path: { id } } }));
      await queryClient.invalidateQueries({ queryKey: ["access-keys"] });
    },
  });
}

/** Shows the scopes of a key, those that permit changes in another color, and its limit. */
function Scopes({ of: key }: { of: AccessKey }) {
  return (
    <Group gap={4}>
      {key.scopes.map((scope) => (
        <Badge key={scope} color={scope.endsWith(":write") ? "yellow" : "gray"} tt="none">
          {scope}
        </Badge>
      ))}
      {key.grant_limit && <Text size="sm">up to {showUsd(key.grant_limit)} a day</Text>}
    </Group>
  );
}

const columns: Column<AccessKey>[] = [
  { header: "Name", cell: (key) => <Text component="span" inherit fw={500}>{key.name}</Text> },
  { header: "Key", cell: (key) => <span className="mono">{key.mask}</span>, secondary: true },
  { header: "Scopes", cell: (key) => <Scopes of={key} /> },
  { header: "Addresses", cell: (key) => (key.addresses.length === 0 ? "All" : <span className="mono">{key.addresses.join(", ")}</span>), secondary: true },
  { header: "Last used", width: 150, cell: (key) => <Moment at={key.last_used} /> },
  { header: "Expires", width: 150, cell: (key) => <Moment at={key.expires_at} /> },
  {
    header: "Actions",
    width: 100,
    align: "right",
    cell: (key) => (
      <Button size="compact-sm" variant="subtle" color="red" onClick={() => revoke(key)}>
        Revoke
      </Button>
    ),
  },
];

const withUser: Column<AccessKey>[] = [...columns.slice(0, 1), { header: "Of", cell: (key) => <UserName id={key.user_id} /> }, ...columns.slice(1)];

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
  const pages = usePages(["access-keys", { all }], (after) => ask(api.GET("/api/access-keys", { params: { query: { after, user_id: all ? undefined : user.id } } })));
  return (
    <SettingsCard
      title="Access keys"
      description="For programs that call the console's own API, such as to read usage logs. A key acts as you, within its scopes. To call models, create a token instead."
      actions={
        <Button leftSection={<IconKey size={16} />} onClick={create.open}>
          Create an access key
        </Button>
      }
    >
      {user.role !== "member" && <Switch label="Keys of all users" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />}
      <DataTable
        caption="Access keys and their use"
        columns={all ? withUser : columns}
        rows={pages.rows}
        rowKey={(key) => key.id}
        faded={isExpired}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        skeletonRows={3}
        empty={<EmptyState icon={IconKey} title="No access keys" />}
        footer={<Pager pages={pages} />}
      />
      <CreateAccessKey opened={creating} close={create.close} created={setCreated} />
      <KeyValue created={created} close={() => setCreated(undefined)} />
    </SettingsCard>
  );
}
