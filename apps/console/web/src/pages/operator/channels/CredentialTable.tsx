import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
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

import { nameOf, stateWord, wordOf } from "@/components/channels/status";

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
    {
      id: "credential",
      header: t`Credential`,
      cell: (credential) =>
        credential.mask ? (
          <span className="mono">{nameOf(credential)}</span>
        ) : (
          <span className="dimmed">
            <Trans>None needed</Trans>
          </span>
        ),
    },
    {
      id: "status",
      header: t`Status`,
      cell: (credential) => <CredentialStatus credential={credential} resting={resting.has(credential.fingerprint)} />,
    },
    { id: "last_probe", header: t`Last probe`, cell: ({ probe }) => <ProbeCell probe={probe} /> },
    {
      id: "actions",
      actions: true,
      header: t`Actions`,
      width: 180,
      align: "right",
      cell: (credential) => <Actions client={client} channel={channel} credential={credential} />,
    },
  ];
  return (
    <DataTable
      caption={t`Credentials`}
      columns={columns}
      rows={health?.credentials}
      error={error}
      rowKey={({ fingerprint, mask }) => fingerprint + mask}
      skeletonRows={Math.max(1, channel.api_key_masks.length)}
      empty={
        <EmptyState
          icon={IconKey}
          title={t`No credentials`}
          {...(channel.type !== "echo" && {
            action: (
              <Button variant="default" onClick={edit}>
                <Trans>Add a credential</Trans>
              </Button>
            ),
          })}
        >
          {channel.type === "echo" ? t`An echo channel needs no credentials.` : t`Calls are sent without credentials.`}
        </EmptyState>
      }
      footer={
        channel.api_key_masks.length > 0 && (
          <Group px="md" py="xs">
            <Button size="xs" variant="subtle" leftSection={<IconPlus size={14} />} onClick={edit}>
              <Trans>Add a credential</Trans>
            </Button>
          </Group>
        )
      }
    />
  );
}

/** Shows whether a credential that relays use works. Its words are those of the status of the channel. */
function UsableStatus({ credential: { probe }, resting }: { credential: Credential; resting: boolean }) {
  if (probe?.error) return <Status value="failing" />;
  if (resting) return <Status value="cooling" />;
  return probe ? <Status value="healthy" /> : <Status value="unknown">{stateWord("unknown")}</Status>;
}

function CredentialStatus({ credential, resting }: { credential: Credential; resting: boolean }) {
  if (credential.status === "enabled") return <UsableStatus credential={credential} resting={resting} />;
  const why =
    credential.status === "unreadable"
      ? t`Encrypted with another secret key`
      : credential.reason === "unpaid"
        ? t`Out of funds at the provider`
        : t`Refused by the upstream`;
  return (
    <Stack gap={2} align="flex-start">
      <Status value="failed">
        {credential.status === "unreadable" ? <Trans>Unreadable</Trans> : <Trans>Disabled</Trans>}
      </Status>
      <Text component="span" size="xs" c="dimmed">
        {why}
        {credential.since && (
          <>
            {" · "}
            <Moment at={credential.since} />
          </>
        )}
      </Text>
    </Stack>
  );
}

function ProbeCell({ probe }: { probe: Credential["probe"] }) {
  if (!probe)
    return (
      <span className="dimmed">
        <Trans>None yet</Trans>
      </span>
    );
  return (
    <span>
      {probe.error ? (
        <Text component="span" inherit c="var(--tollgate-bad)">
          {wordOf(probe.error)}
        </Text>
      ) : (
        <Trans>OK</Trans>
      )}
      {probe.status > 0 && ` (${probe.status})`}, {showMillis(probe.latency_ms)}, <Moment at={probe.probed_at} />
    </span>
  );
}

function Actions({ client, channel, credential }: { client: QueryClient; channel: Channel; credential: Credential }) {
  const name = nameOf(credential);
  if (!credential.mask) return null;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {credential.status === "disabled" && (
        <Button
          size="compact-sm"
          variant="light"
          aria-label={t`Enable ${name}`}
          onClick={() => enable(client, channel, credential)}
        >
          <Trans>Enable</Trans>
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={t`Remove ${name}`}
        onClick={() => remove(client, channel, credential)}
      >
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}

function enable(client: QueryClient, channel: Channel, credential: Credential) {
  const name = nameOf(credential);
  confirm({
    title: t`Enable ${name}?`,
    children: t`Relays use it again within a second. If the upstream still refuses it, it is disabled again.`,
    confirm: t`Enable`,
    harmless: true,
    act: async () => {
      await ask(
        api.POST("/api/operator/channels/{id}/credentials/enable", {
          params: { path: { id: channel.id } },
          body: { fingerprint: credential.fingerprint },
        }),
      );
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: t`Credential ${name} enabled.` });
    },
  });
}

function remove(client: QueryClient, channel: Channel, credential: Credential) {
  const name = nameOf(credential);
  const last = channel.api_key_masks.length === 1;
  confirm({
    title: t`Remove ${name}?`,
    children: last
      ? t`This can't be undone. It is the channel's only credential, so calls will be sent without one.`
      : t`This can't be undone. The channel's other credentials stay.`,
    confirm: t`Remove`,
    act: async () => {
      await ask(
        api.PATCH("/api/operator/channels/{id}", {
          params: { path: { id: channel.id } },
          body: { rotation: { remove: [credential.fingerprint || credential.mask] } },
        }),
      );
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: t`Credential ${name} removed.` });
    },
  });
}
