import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { Stat } from "@/components/Stat";
import { ErrorState } from "@/components/states";
import { Moment } from "@/components/values";
import { showBytes, showCount } from "@/format/number";
import { UnpricedTable } from "@/pages/operator/channels/UnpricedTable";

import { Drifts } from "./Drifts";
import { LeaseTables } from "./LeaseTables";
import { QueueTable, WorkerTable } from "./QueueTables";
import { RelayTable } from "./RelayTable";
import { maxPending, troublesOf, type Health } from "./state";
import { Summary } from "./Summary";

/** Shows the state of the platform. It refetches every five seconds while the page is visible. */
export function System() {
  const query = useQuery({
    queryKey: ["operator", "health"],
    queryFn: () => ask(api.GET("/api/operator/health")),
    refetchInterval: 5000,
  });
  const { data: health, dataUpdatedAt: now } = query;
  return (
    <Page
      title={t`System`}
      description={t`The state of the database, relays and workers, and whether records agree. Refreshes every five seconds.`}
    >
      {query.error && !health ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : null}
      {query.error && health ? (
        <Text c="var(--tollgate-bad)" role="alert">
          <Trans>The console is not responding. This is the last known state.</Trans>
        </Text>
      ) : null}
      {health && <Summary troubles={troublesOf(health, now)} />}
      <Figures health={health} />
      {health?.database === "ok" && <Parts health={health} now={now} />}
    </Page>
  );
}

function Figures({ health }: { health: Health | undefined }) {
  const down = health && health.database !== "ok";
  const depth =
    health && (health.outbox_depth >= maxPending ? `${showCount(maxPending)}+` : showCount(health.outbox_depth));
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
      <Stat
        label={t`Database`}
        value={health && (down ? t`Failing` : t`Online`)}
        hint={health && !down && sizeOf(health.storage)}
      />
      <Stat
        label={t`Config version`}
        value={health && (down ? "–" : showCount(health.change_version))}
        hint={t`The version that relays should have`}
      />
      <Stat label={t`Pending usage`} value={health && (down ? "–" : depth)} hint={t`Not in the rollups yet`} />
      <Stat
        label={t`Mismatches`}
        value={health && (down ? "–" : showCount(health.reconciliation.drift_count))}
        hint={
          health &&
          !down && (
            <Trans>
              Last check: <Moment at={health.reconciliation.checked_at} none={t`none yet`} />
            </Trans>
          )
        }
      />
    </SimpleGrid>
  );
}

function sizeOf({ bytes, partitions }: Health["storage"]): string {
  const size = showBytes(bytes);
  return partitions > 0 ? t`${size} in ${plural(partitions, { one: "# partition", other: "# partitions" })}` : size;
}

function Parts({ health, now }: { health: Health; now: number }) {
  const { hours_checked: checked, hours_open } = health.reconciliation;
  const open = showCount(hours_open);
  return (
    <>
      <Section title={t`Relays`} description={t`Each relay sends a heartbeat every ten seconds.`}>
        <RelayTable relays={health.relays} now={now} />
      </Section>
      <Section
        title={t`Queues`}
        description={
          health.queues.status === "unknown"
            ? t`This console is not connected to Redis, so it can't show the queues.`
            : t`Background work. Tasks can be lost or repeated without harm, because the state is in the database.`
        }
      >
        <QueueTable queues={health.queues} />
      </Section>
      <Section title={t`Workers`}>
        <WorkerTable queues={health.queues} />
      </Section>
      <Section
        title={t`Reconciliation`}
        description={t`Compares records that must agree. The last run checked ${plural(checked, { one: "# hour", other: "# hours" })} of usage, ${open} still open.`}
      >
        <Drifts drifts={health.reconciliation.drifts} count={health.reconciliation.drift_count} />
      </Section>
      <Section
        title={t`Charges without a price`}
        description={t`Calls of the last days for which the provider charged something that the model has no price for.`}
      >
        <UnpricedTable />
      </Section>
      <Section
        title={t`Leases`}
        description={t`Quota that relays hold in advance, so that calls don't wait for the database.`}
      >
        <LeaseTables leases={health.leases} />
      </Section>
    </>
  );
}
