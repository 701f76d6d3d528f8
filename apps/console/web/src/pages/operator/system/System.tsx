import { SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { Stat } from "@/components/Stat";
import { ErrorState } from "@/components/states";
import { Moment } from "@/components/values";
import { plural, showBytes, showCount } from "@/format/number";

import { Drifts } from "./Drifts";
import { LeaseTables } from "./LeaseTables";
import { QueueTable, WorkerTable } from "./QueueTables";
import { RelayTable } from "./RelayTable";
import { troublesOf, type Health } from "./state";
import { Summary } from "./Summary";

/** Shows the state of the platform. It refetches every five seconds while the page is visible. */
export function System() {
  const query = useQuery({ queryKey: ["operator", "health"], queryFn: () => ask(api.GET("/api/operator/health")), refetchInterval: 5000 });
  const { data: health, dataUpdatedAt: now } = query;
  return (
    <Page title="System" description="Database, relays, workers and what is compared. It refreshes itself every five seconds.">
      {query.error && !health ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : null}
      {query.error && health ? <Text c="var(--tollgate-bad)" role="alert">The console does not answer: this is what it said last.</Text> : null}
      {health && <Summary troubles={troublesOf(health, now)} />}
      <Figures health={health} />
      {health?.database === "ok" && <Parts health={health} now={now} />}
    </Page>
  );
}

function Figures({ health }: { health: Health | undefined }) {
  const down = health && health.database !== "ok";
  const depth = health && (health.outbox_depth >= 10_000 ? "10,000+" : showCount(health.outbox_depth));
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      <Stat label="Database" value={health && (down ? "Failing" : "Answers")} hint={health && !down && `${showBytes(health.storage.bytes)}${health.storage.partitions > 0 ? ` in ${plural(health.storage.partitions, "partition")}` : ""}`} />
      <Stat label="Change version" value={health && (down ? "–" : showCount(health.change_version))} hint="Of the catalog that relays should have" />
      <Stat label="Outbox" value={health && (down ? "–" : depth)} hint="Usage not in the summaries yet" />
      <Stat label="Drifts" value={health && (down ? "–" : showCount(health.reconciliation.drift_count))} hint={health && !down && <>Compared: <Moment at={health.reconciliation.checked_at} none="not yet" /></>} />
    </SimpleGrid>
  );
}

function Parts({ health, now }: { health: Health; now: number }) {
  const { hours_checked, hours_open } = health.reconciliation;
  return (
    <>
      <Section title="Relays" description="Each gives a sign of life every ten seconds.">
        <RelayTable relays={health.relays} now={now} />
      </Section>
      <Section title="Queues" description={health.queues.status === "unknown" ? "The console was not told of a Redis: it cannot see them." : "Background work. Every task may be lost or repeated: the state is in the database."}>
        <QueueTable queues={health.queues} />
      </Section>
      <Section title="Workers">
        <WorkerTable queues={health.queues} />
      </Section>
      <Section title="Reconciliation" description={`What is written down in several places is compared: ${plural(hours_checked, "hour")} of usage in the last run, ${showCount(hours_open)} still open.`}>
        <Drifts drifts={health.reconciliation.drifts} count={health.reconciliation.drift_count} />
      </Section>
      <Section title="Leases" description="Quota that relays hold, so that they need not ask for each call.">
        <LeaseTables leases={health.leases} />
      </Section>
    </>
  );
}
