import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Moment, Status } from "@/components/values";
import { showMillis } from "@/format/number";
import type { Channel, ChannelHealth } from "@/pages/operator/catalog/queries";

import { wordOf } from "./health";

type Credential = Schema<"CredentialHealth">;

interface CredentialTableProps {
  channel: Channel;
  health: ChannelHealth | undefined;
  error: unknown;
  edit: () => void;
}

/** Lists the credentials of a channel by their masks, with their health and the actions to rotate them. */
export function CredentialTable({ channel, health, error, edit }: CredentialTableProps) {
  const client = useQueryClient();
  const resting = new Set(health?.relays.map((relay) => relay.fingerprint).filter(Boolean));
  const columns: Column<Credential>[] = [
    { header: "Credential", cell: ({ mask }) => (mask ? <span className="mono">{mask}</span> : <Text component="span" c="dimmed" inherit>None needed</Text>) },
    { header: "Status", cell: (credential) => <CredentialStatus credential={credential} resting={resting.has(credential.fingerprint)} /> },
    { header: "Last probe", cell: ({ probe }) => <ProbeCell probe={probe} /> },
    { header: "Actions", width: 180, align: "right", cell: (credential) => <Actions client={client} channel={channel} credential={credential} /> },
  ];
  return (
    <DataTable
      caption="Credentials" columns={columns} rows={health?.credentials} error={error} rowKey={({ fingerprint, mask }) => fingerprint + mask} skeletonRows={Math.max(1, channel.api_key_masks.length)}
      empty={<EmptyState icon={IconKey} title="No credentials" {...(channel.type !== "echo" && { action: <Button variant="default" onClick={edit}>Add a credential</Button> })}>{channel.type === "echo" ? "An echo channel needs none." : "Calls are sent without any."}</EmptyState>}
      footer={
        channel.api_key_masks.length > 0 && (
          <Group px="md" py="xs">
            <Button size="xs" variant="subtle" leftSection={<IconPlus size={14} />} onClick={edit}>
              Add a credential
            </Button>
          </Group>
        )
      }
    />
  );
}

function CredentialStatus({ credential, resting }: { credential: Credential; resting: boolean }) {
  if (credential.status === "enabled") return resting ? <Status value="cooling">Resting</Status> : <Status value="enabled" />;
  const why = credential.status === "unreadable" ? "Another secret key has sealed it" : credential.reason === "unpaid" ? "Out of money" : "Refused by its upstream";
  return (
    <Stack gap={2} align="flex-start">
      <Status value="failed">{credential.status === "unreadable" ? "Unreadable" : "Disabled"}</Status>
      <Text component="span" size="xs" c="dimmed">
        {why}
        {credential.since && (
          <>
            {" "}
            <Moment at={credential.since} />
          </>
        )}
      </Text>
    </Stack>
  );
}

function ProbeCell({ probe }: { probe: Credential["probe"] }) {
  if (!probe) return <Text component="span" c="dimmed" inherit>None yet</Text>;
  return (
    <span>
      {probe.error ? <Text component="span" inherit c="var(--tollgate-bad)">{capital(wordOf(probe.error))}</Text> : "Good"}
      {probe.status > 0 && ` (${probe.status})`}, {showMillis(probe.latency_ms)}, <Moment at={probe.probed_at} />
    </span>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Actions({ client, channel, credential }: { client: QueryClient; channel: Channel; credential: Credential }) {
  if (!credential.mask) return null;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {credential.status === "disabled" && (
        <Button size="compact-sm" variant="light" aria-label={`Enable ${credential.mask}`} onClick={() => enable(client, channel, credential)}>
          Enable
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" color="red" aria-label={`Remove ${credential.mask}`} onClick={() => remove(client, channel, credential)}>
        Remove
      </Button>
    </Group>
  );
}

function enable(client: QueryClient, channel: Channel, credential: Credential) {
  confirm({
    title: `Use ${credential.mask} again?`,
    children: "Relays send calls with it within a second. Where its upstream still refuses it, it is disabled once more.",
    confirm: "Enable",
    harmless: true,
    act: async () => {
      await ask(api.POST("/api/operator/channels/{id}/credentials/enable", { params: { path: { id: channel.id } }, body: { fingerprint: credential.fingerprint } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: `${credential.mask} is in use again.` });
    },
  });
}

function remove(client: QueryClient, channel: Channel, credential: Credential) {
  const last = channel.api_key_masks.length === 1;
  confirm({
    title: `Remove ${credential.mask}?`,
    children: `It cannot be shown or brought back. ${last ? "It is the channel’s only one: calls will be sent without any." : "The channel’s others stay as they are."}`,
    confirm: "Remove",
    act: async () => {
      await ask(api.PATCH("/api/operator/channels/{id}", { params: { path: { id: channel.id } }, body: { rotation: { remove: [credential.fingerprint || credential.mask] } } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: `${credential.mask} is removed.` });
    },
  });
}
