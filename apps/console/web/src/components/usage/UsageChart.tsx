import { Anchor, Center, Group, Skeleton, Table, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { ErrorState } from "@/components/states";

import { Legend } from "./Legend";
import { colorOf } from "./palette";
import { titleOf, type Bucket } from "./range";
import { measureNames, showAmount, type Measure, type Stack } from "./series";
import { StackChart } from "./StackChart";
import classes from "./UsageChart.module.css";

interface UsageChartProps {
  /** The name of the chart for screen readers. */
  title: string;
  /** The data to show; undefined while it loads. */
  data: Stack | undefined;
  measure: Measure;
  bucket: Bucket;
  height?: number;
  error?: unknown;
  retry?: () => void;
}

/** Shows usage over time as stacked bars, or as a table with the exact figures. */
export function UsageChart({ title, data, measure, bucket, height = 260, error, retry }: UsageChartProps) {
  const [asTable, { toggle }] = useDisclosure(false);
  if (error && !data) return <ErrorState error={error} {...(retry && { retry })} />;
  if (!data) return <Skeleton h={height} aria-label="Loading" />;
  if (data.series.length === 0) {
    return (
      <Center h={height}>
        <Text c="dimmed">{measure === "spend" ? "Nothing was spent in this time." : "No calls in this time."}</Text>
      </Center>
    );
  }
  const summary = `${title}: ${showAmount(data.total, measure)} in all. ${data.series.map((one) => `${one.name} ${showAmount(one.total, measure)}`).join(", ")}.`;
  return (
    <figure className={classes["figure"]}>
      {asTable ? (
        <FiguresTable title={title} data={data} measure={measure} bucket={bucket} />
      ) : (
        <div role="img" aria-label={summary}>
          <StackChart data={data} measure={measure} bucket={bucket} height={height} />
        </div>
      )}
      <Group justify="space-between" align="flex-end" gap="xs" wrap="nowrap">
        <Legend series={data.series.map(({ key, name }, i) => ({ name, color: colorOf(i, key) }))} />
        <Anchor component="button" type="button" size="sm" c="dimmed" onClick={toggle} style={{ flex: "none" }}>
          {asTable ? "Show the chart" : "Show as a table"}
        </Anchor>
      </Group>
    </figure>
  );
}

function FiguresTable({ title, data, measure, bucket }: Pick<UsageChartProps, "title" | "measure" | "bucket"> & { data: Stack }) {
  return (
    <div className={classes["table"]} tabIndex={0} role="region" aria-label={title}>
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{bucket === "hour" ? "Hour" : "Day"}</Table.Th>
            <Table.Th scope="col" ta="right">{measureNames[measure]}</Table.Th>
            {data.series.map((one) => <Table.Th scope="col" key={one.key} ta="right" maw={180}><Text inherit truncate title={one.name}>{one.name}</Text></Table.Th>)}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.points.toReversed().map((point) => (
            <Table.Tr key={point.start} className="tabular">
              <Table.Th scope="row" fw={400} style={{ whiteSpace: "nowrap" }}>{titleOf(point.start, bucket)}</Table.Th>
              <Table.Td ta="right">{showAmount(point.total, measure)}</Table.Td>
              {point.amounts.map((amount, i) => <Table.Td key={data.series[i]?.key} ta="right">{showAmount(amount, measure)}</Table.Td>)}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
