import { Text } from "@mantine/core";
import { IconServer } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { Copyable, Moment, Status, Usd } from "@/components/values";
import { plural, showBytes, showCount } from "@/format/number";

import { relayState, type RelayState } from "./state";

type Relay = Schema<"Relay">;

const labels: Record<RelayState, { tone: string; word: string }> = {
  alive: { tone: "alive", word: "Serving" },
  draining: { tone: "cooling", word: "Draining" },
  stopped: { tone: "disabled", word: "Stopped" },
  silent: { tone: "failing", word: "Silent" },
};

/** Lists the relays with their state, leases and the usage events that are still in their spools. */
export function RelayTable({ relays, now }: { relays: Relay[]; now: number }) {
  const columns: Column<Relay>[] = [
    { header: "Relay", cell: ({ id }) => <Copyable value={id} label="relay id">{id.slice(-12)}</Copyable> },
    { header: "State", cell: (relay) => { const { tone, word } = labels[relayState(relay, now)]; return <Status value={tone}>{word}</Status>; } },
    { header: "Sign of life", cell: ({ seen_at }) => <Moment at={seen_at} /> },
    { header: "In flight", align: "right", cell: ({ in_flight }) => showCount(in_flight) },
    { header: "Body memory", align: "right", cell: ({ body_memory }) => <BodyMemory memory={body_memory} /> },
    { header: "Spool", align: "right", cell: ({ spool }) => <Spool spool={spool} /> },
    { header: "Leased", align: "right", cell: ({ leased, leases }) => <span><Usd amount={leased} short /> <Text component="span" size="xs" c="dimmed">{plural(leases, "lease")}</Text></span> },
    { header: "Version", cell: ({ version }) => <span className="mono">{version || "–"}</span>, secondary: true },
    { header: "Started", cell: ({ started_at }) => <Moment at={started_at} none="–" />, secondary: true },
  ];
  return <DataTable caption="Relays" columns={columns} rows={relays} rowKey={({ id }) => id} faded={(relay) => relayState(relay, now) === "stopped"} empty={<EmptyState icon={IconServer} title="No relay was heard of">Relays show here seconds after their start.</EmptyState>} />;
}

function BodyMemory({ memory }: { memory: Relay["body_memory"] }) {
  if (memory.max_bytes === 0) return <Text component="span" c="dimmed" inherit>–</Text>;
  return (
    <span>
      {showBytes(memory.bytes)} of {showBytes(memory.max_bytes)}
      {(memory.waiting > 0 || memory.refused > 0) && <Text component="span" size="xs" c="dimmed" display="block">{showCount(memory.waiting)} waiting, {showCount(memory.refused)} refused</Text>}
    </span>
  );
}

function Spool({ spool }: { spool: Relay["spool"] }) {
  if (spool.events === 0) return <Text component="span" c="dimmed" inherit>Empty</Text>;
  return (
    <span>
      {spool.events === null ? "Over 16,000 events" : plural(spool.events, "event")}, {showBytes(spool.bytes)}
      {spool.oldest_at && <Text component="span" size="xs" c="dimmed" display="block">oldest <Moment at={spool.oldest_at} /></Text>}
    </span>
  );
}
