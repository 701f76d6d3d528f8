import { Grid, SimpleGrid, Stack, Text } from "@mantine/core";

import { AnchorLink } from "@/components/links";

import { FailuresCard } from "./FailuresCard";
import { HealthCard } from "./HealthCard";
import { Tiles } from "./Tiles";
import { TopCard } from "./TopCard";
import { UsageCard } from "./UsageCard";
import { useTotals, type View } from "./view";

/** Shows the overview of the whole platform, for operators. */
export function PlatformOverview({ view }: { view: View }) {
  const totals = useTotals(view);
  return (
    <>
      <Tiles range={view.range} {...totals} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 8.5 }}>
          <Stack>
            <UsageCard view={view} />
            <Tops view={view} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 3.5 }}>
          <Stack>
            <HealthCard />
            <FailuresCard view={view} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

function Tops({ view }: { view: View }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <TopCard title="Tenants" view={view} by="tenant" name={(row) => <AnchorLink to="/usage-logs" search={{ tenant: row.value }} inherit c="inherit" title={row.name}>{row.name}</AnchorLink>} />
        <TopCard title="Models" view={view} by="model" name={(row) => <AnchorLink to="/usage-logs" search={{ model: row.value }} inherit c="inherit" title={row.value}>{row.value}</AnchorLink>} />
      </SimpleGrid>
      <TopCard
        title="Channels"
        view={view}
        by="channel"
        failures
        name={(row) => (row.name ? <AnchorLink to="/usage-logs" search={{ channel: row.value }} inherit c="inherit" title={row.name}>{row.name}</AnchorLink> : <Text component="span" inherit c="dimmed">No channel</Text>)}
      />
    </>
  );
}
