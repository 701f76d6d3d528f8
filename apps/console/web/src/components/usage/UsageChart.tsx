import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Center, Group, Skeleton, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useNavigate } from "@tanstack/react-router";

import { lazyPart } from "@/components/lazyPart";
import { ErrorState } from "@/components/states";
import { zoneName } from "@/format/zone";
import type { LogSearch } from "@/pages/usage-logs/filters";

import { Legend } from "./Legend";
import { colorOf } from "./palette";
import type { Bucket } from "./range";
import { showAmount, type Measure, type Stack } from "./series";
import { StackChart } from "./StackChart";
import classes from "./UsageChart.module.css";

const FiguresTable = lazyPart(async () => ({ default: (await import("./FiguresTable")).FiguresTable }));

export interface UsageChartProps {
  /** The name of the chart for screen readers. */
  title: string;
  /** The data to show; undefined while it loads. */
  data: Stack | undefined;
  measure: Measure;
  bucket: Bucket;
  height?: number;
  error?: unknown;
  retry?: () => void;
  /** Returns the filters of the requests in a bucket, or in one series of it, to which its bar and its figure lead. */
  logs?: (start: string, value: string | undefined) => LogSearch;
  /** Called when a series is chosen in the legend. */
  pick?: (value: string) => void;
}

/** Shows usage over time as stacked bars, or as a table with the exact figures. */
export function UsageChart({ title, data, measure, bucket, height = 260, error, retry, logs, pick }: UsageChartProps) {
  const [asTable, { toggle }] = useDisclosure(false);
  const navigate = useNavigate();
  if (error && !data) return <ErrorState error={error} {...(retry && { retry })} />;
  if (!data) return <Skeleton h={height} aria-label={t`Loading`} />;
  if (data.series.length === 0) {
    return (
      <Center h={height}>
        <Text c="dimmed">
          {measure === "spend" ? (
            <Trans>No spending in this period.</Trans>
          ) : measure === "cost" ? (
            <Trans>No known costs in this period.</Trans>
          ) : (
            <Trans>No requests in this period.</Trans>
          )}
        </Text>
      </Center>
    );
  }
  const total = showAmount(data.total, measure);
  const parts = data.series.map((one) => `${one.name} ${showAmount(one.total, measure)}`).join(", ");
  const summary = t`${title}: ${total} in total. ${parts}.`;
  const zone = zoneName(Date.parse(data.points.at(-1)?.start ?? ""));
  return (
    <figure className={classes["figure"]}>
      {asTable ? (
        <FiguresTable
          waiting={<Skeleton h={height} />}
          title={title}
          data={data}
          measure={measure}
          bucket={bucket}
          {...(logs && { logs })}
        />
      ) : (
        <div role="img" aria-label={summary}>
          <StackChart
            data={data}
            measure={measure}
            bucket={bucket}
            height={height}
            {...(logs && { open: (start, value) => void navigate({ to: "/usage-logs", search: logs(start, value) }) })}
          />
        </div>
      )}
      <Group justify="space-between" align="flex-end" gap="xs" wrap="nowrap">
        <Legend
          series={data.series.map(({ key, name, value }, i) => ({ name, value, color: colorOf(i, key) }))}
          {...(pick && { pick })}
        />
        <Group gap="md" style={{ flex: "none" }}>
          {bucket === "day" && (
            <Text size="sm" c="dimmed">
              <Trans>Days in {zone}</Trans>
            </Text>
          )}
          <Anchor component="button" type="button" size="sm" c="dimmed" onClick={toggle}>
            {asTable ? <Trans>Show as a chart</Trans> : <Trans>Show as a table</Trans>}
          </Anchor>
        </Group>
      </Group>
    </figure>
  );
}
