import { Grid, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { lazy, Suspense } from "react";

import { AnchorLink } from "@/components/links";
import { LoadingState } from "@/components/states";
import { spanOf } from "@/components/usage/range";
import { useNow } from "@/components/usage/useNow";
import { useSummary } from "@/components/usage/useSummary";

import { FailuresCard } from "./FailuresCard";
import { QuotaLeft } from "./QuotaLeft";
import { Tiles } from "./Tiles";
import { TopCard } from "./TopCard";
import { UsageCard } from "./UsageCard";
import { useTotals, type View } from "./view";

const FirstSteps = lazy(async () => ({ default: (await import("./FirstSteps")).FirstSteps }));

/** Shows the overview of a tenant, or of a member's own usage. */
export function TenantOverview({ view }: { view: View }) {
  const now = useNow();
  const { from, to } = spanOf("90d", now);
  // A tenant without calls in 90 days sees the first steps instead of empty charts.
  const ever = useSummary({ from, to });
  if (ever.isPending) return <LoadingState />;
  if (ever.data?.every((row) => row.requests === 0)) {
    return (
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}><Suspense fallback={<Skeleton h={360} />}><FirstSteps /></Suspense></Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}><QuotaLeft /></Grid.Col>
      </Grid>
    );
  }
  return <Figures view={view} />;
}

function Figures({ view }: { view: View }) {
  const totals = useTotals(view);
  return (
    <>
      <Tiles range={view.range} {...totals} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 8.5 }}>
          <Stack>
            <UsageCard view={view} />
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <TopCard title="Models" view={view} by="model" name={(row) => <AnchorLink to="/usage-logs" search={{ model: row.value }} inherit c="inherit" title={row.value}>{row.value}</AnchorLink>} />
              <TopCard title="Tokens" view={view} by="token" name={(row) => <AnchorLink to="/tokens/$id" params={{ id: row.value }} inherit c="inherit" title={row.name}>{row.name}</AnchorLink>} />
            </SimpleGrid>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 3.5 }}>
          <Stack>
            <QuotaLeft />
            <FailuresCard view={view} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
