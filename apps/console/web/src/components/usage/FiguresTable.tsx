import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Table, Text } from "@mantine/core";
import dayjs from "dayjs";

import { saveFile } from "@/api/save";
import { AnchorLink } from "@/components/links";
import { csvOf } from "@/components/table/csv";
import { decimalUsd } from "@/format/money";

import { titleOf } from "./rangeNames";
import { isMoney, measureNames, showAmount, type Stack } from "./series";
import type { UsageChartProps } from "./UsageChart";
import classes from "./UsageChart.module.css";

type TableProps = Pick<UsageChartProps, "title" | "measure" | "bucket" | "logs"> & { data: Stack };

/** Returns the figures as rows of a CSV file, as exact as the API has them. */
export function figuresFile({ data, measure }: Pick<TableProps, "data" | "measure">): string {
  const exact = (amount: bigint) => (isMoney(measure) ? decimalUsd(amount) : Number(amount));
  return csvOf(
    ["start", "total", ...data.series.map(({ name }) => name)],
    data.points.map(({ start, total, amounts }) => [start, exact(total), ...amounts.map(exact)]),
  ); // not translated: the names of columns
}

/** Shows the exact figures of a chart. Each leads to the requests behind it, if `logs` finds them. */
export function FiguresTable({ title, data, measure, bucket, logs }: TableProps) {
  const figure = (amount: bigint, start: string, value?: string) => {
    const text = showAmount(amount, measure);
    return logs && amount > 0n ? (
      <AnchorLink to="/usage-logs" search={logs(start, value)} inherit c="inherit">
        {text}
      </AnchorLink>
    ) : (
      text
    );
  };
  const save = () =>
    saveFile(
      `usage-${dayjs(data.points[0]?.start).format("YYYY-MM-DD")}.csv`, // not translated: the name of a file
      new Blob([figuresFile({ data, measure })], { type: "text/csv" }),
    );
  return (
    <>
      <div className={classes["table"]} tabIndex={0} role="region" aria-label={title}>
        <Table stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{bucket === "hour" ? <Trans>Hour</Trans> : <Trans>Day</Trans>}</Table.Th>
              <Table.Th scope="col" ta="right">
                {measureNames[measure]}
              </Table.Th>
              {data.series.map((one) => (
                <Table.Th scope="col" key={one.key} ta="right" maw={180}>
                  <Text inherit truncate title={one.name}>
                    {one.name}
                  </Text>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.points.toReversed().map((point) => (
              <Table.Tr key={point.start} className="tabular">
                <Table.Th scope="row" fw={400} style={{ whiteSpace: "nowrap" }}>
                  {titleOf(point.start, bucket)}
                </Table.Th>
                <Table.Td ta="right">{figure(point.total, point.start)}</Table.Td>
                {point.amounts.map((amount, i) => (
                  <Table.Td key={data.series[i]?.key} ta="right">
                    {figure(amount, point.start, data.series[i]?.value)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <Button mt="xs" size="xs" variant="default" onClick={save} aria-label={t`Download ${title} as CSV`}>
        <Trans>Download CSV</Trans>
      </Button>
    </>
  );
}
