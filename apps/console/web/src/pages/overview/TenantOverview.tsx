import { Grid, SimpleGrid, Stack } from "@mantine/core";

import { Attributed } from "@/components/attribution/Attribution";
import { LoadingState } from "@/components/states";
import { useNow } from "@/components/usage/useNow";
import { useSummary } from "@/components/usage/useSummary";

import { FailuresCard } from "./FailuresCard";
import { FirstSteps } from "./FirstSteps";
import { pastParameters } from "./query";
import { QuotaLeft } from "./QuotaLeft";
import { Tiles } from "./Tiles";
import { Tops } from "./Tops";
import { UsageCard } from "./UsageCard";
import type { PartProps } from "./view";

/** Shows the overview of a tenant, or of a member's own usage. */
export function TenantOverview(props: PartProps) {
  const { usage, view } = props;
  const idle = !view.filtered && usage.totals?.requests === 0;
  // A tenant without calls in 90 days sees the first steps instead of empty charts.
  const ever = useSummary(pastParameters(useNow()), idle);
  if ((!usage.totals && !usage.error) || (idle && ever.isPending)) return <LoadingState />;
  if (idle && ever.data?.every((row) => row.requests === 0)) {
    return (
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <FirstSteps />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <QuotaLeft />
        </Grid.Col>
      </Grid>
    );
  }
  return <Figures {...props} />;
}

function Figures({ set, ...props }: PartProps) {
  const { view, usage } = props;
  return (
    <>
      <Tiles {...props} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 8.5 }}>
          <Stack>
            <UsageCard {...props} set={set} />
            <SimpleGrid cols={{ base: 1, xl: 2 }}>
              <Tops {...props} set={set} />
            </SimpleGrid>
            {view.attributed && usage.data?.attribution && (
              <Attributed
                users={usage.data.attribution}
                from={view.span.from}
                to={view.span.to}
                name={view.tag}
                onName={(tag) => set({ tag })}
              />
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 3.5 }}>
          <Stack>
            <QuotaLeft />
            <FailuresCard {...props} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
