import { Grid, Stack } from "@mantine/core";

import { FailuresCard } from "./FailuresCard";
import { HealthCard } from "./HealthCard";
import { MarginTiles } from "./MarginTiles";
import { Tiles } from "./Tiles";
import { Tops } from "./Tops";
import { UnservedModels } from "./UnservedModels";
import { UsageCard } from "./UsageCard";
import type { PartProps } from "./view";

/** Shows the overview of the whole platform, for operators. */
export function PlatformOverview(props: PartProps) {
  return (
    <>
      <UnservedModels />
      <Tiles {...props} />
      <MarginTiles {...props} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 8.5 }}>
          <Stack>
            <UsageCard {...props} operator />
            <Tops {...props} operator />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 3.5 }}>
          <Stack>
            <HealthCard />
            <FailuresCard {...props} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
