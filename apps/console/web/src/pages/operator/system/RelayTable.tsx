import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { IconServer } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Copyable, Moment, Status, Usd } from "@/components/values";
import { parseUsd } from "@/format/money";
import { showBytes, showCount } from "@/format/number";

import { relayState, type RelayState } from "./state";

type Relay = Schema<"Relay">;

const labels: Record<RelayState, { tone: string; word: MessageDescriptor }> = {
  alive: { tone: "alive", word: msg`Online` },
  draining: { tone: "cooling", word: msg`Draining` },
  stopped: { tone: "disabled", word: msg`Stopped` },
  silent: { tone: "failing", word: msg`Not responding` },
};

/** Lists the relays with their state, leases and the usage events that are still in their spools. */
export function RelayTable({ relays, now }: { relays: Relay[]; now: number }) {
  const columns: Column<Relay>[] = [
    {
      id: "relay",
      header: t`Relay`,
      value: ({ id }) => id,
      cell: ({ id }) => (
        <Copyable value={id} label={t`relay ID`}>
          {id.slice(-12)}
        </Copyable>
      ),
    },
    {
      id: "state",
      header: t`State`,
      value: (relay) => relayState(relay, now),
      cell: (relay) => {
        const { tone, word } = labels[relayState(relay, now)];
        return <Status value={tone}>{i18n._(word)}</Status>;
      },
    },
    {
      id: "last_heartbeat",
      header: t`Last heartbeat`,
      value: ({ seen_at }) => seen_at,
      cell: ({ seen_at }) => <Moment at={seen_at} />,
    },
    {
      id: "in_flight",
      header: t`In flight`,
      align: "right",
      value: ({ in_flight }) => in_flight,
      cell: ({ in_flight }) => showCount(in_flight),
    },
    {
      id: "body_memory",
      header: t`Body memory`,
      align: "right",
      value: ({ body_memory }) => body_memory.bytes,
      cell: ({ body_memory }) => <BodyMemory memory={body_memory} />,
    },
    { id: "spool", header: t`Spool`, align: "right", cell: ({ spool }) => <Spool spool={spool} /> },
    {
      id: "leased",
      header: t`Leased`,
      align: "right",
      value: ({ leased }) => leased,
      sortBy: ({ leased }) => parseUsd(leased),
      cell: ({ leased, leases }) => (
        <span>
          <Usd amount={leased} short />{" "}
          <Text component="span" size="xs" c="dimmed">
            {plural(leases, { one: "# lease", other: "# leases" })}
          </Text>
        </span>
      ),
    },
    {
      id: "version",
      header: t`Version`,
      value: ({ version }) => version,
      cell: ({ version }) => <span className="mono">{version || "–"}</span>,
      secondary: true,
    },
    {
      id: "started",
      header: t`Started`,
      value: ({ started_at }) => started_at,
      cell: ({ started_at }) => <Moment at={started_at} none="–" />,
      secondary: true,
    },
  ];
  return (
    <DataTable
      table="relays"
      whole
      caption={t`Relays`}
      columns={columns}
      rows={relays}
      rowKey={({ id }) => id}
      faded={(relay) => relayState(relay, now) === "stopped"}
      empty={
        <EmptyState icon={IconServer} title={t`No relays yet`}>
          <Trans>Relays appear here a few seconds after they start.</Trans>
        </EmptyState>
      }
    />
  );
}

function BodyMemory({ memory }: { memory: Relay["body_memory"] }) {
  if (memory.max_bytes === 0) return <span className="dimmed">–</span>;
  const used = showBytes(memory.bytes);
  const limit = showBytes(memory.max_bytes);
  const waiting = showCount(memory.waiting);
  const refused = showCount(memory.refused);
  return (
    <span>
      <Trans>
        {used} of {limit}
      </Trans>
      {(memory.waiting > 0 || memory.refused > 0) && (
        <Text component="span" size="xs" c="dimmed" display="block">
          <Trans>
            {waiting} waiting, {refused} refused
          </Trans>
        </Text>
      )}
    </span>
  );
}

function Spool({ spool }: { spool: Relay["spool"] }) {
  if (spool.events === 0)
    return (
      <span className="dimmed">
        <Trans>Empty</Trans>
      </span>
    );
  return (
    <span>
      {spoolSize(spool)}
      {spool.oldest_at && (
        <Text component="span" size="xs" c="dimmed" display="block">
          <Trans>
            oldest <Moment at={spool.oldest_at} />
          </Trans>
        </Text>
      )}
    </span>
  );
}

function spoolSize({ events, bytes }: Relay["spool"]): string {
  const size = showBytes(bytes);
  const limit = showCount(16_000);
  return events === null
    ? t`Over ${limit} events, ${size}`
    : t`${plural(events, { one: "# event", other: "# events" })}, ${size}`;
}
