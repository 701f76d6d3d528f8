import { Card, Group, Skeleton, Table, Text, Title } from "@mantine/core";
import { type ReactNode, useMemo } from "react";

import type { Schema } from "@/api/client";
import { ErrorState } from "@/components/states";
import { showShare } from "@/components/usage/series";
import { useSummary } from "@/components/usage/useSummary";
import { Usd } from "@/components/values";
import { parseUsd, share } from "@/format/money";
import { shortCount } from "@/format/number";

import type { Dimension } from "./search";
import classes from "./TopCard.module.css";
import type { View } from "./view";

type Row = Schema<"UsageSummaryRow">;

interface TopCardProps {
  title: string;
  view: View;
  by: Dimension;
  /** Renders the name as a link. */
  name: (row: Row) => ReactNode;
  /** Shows how many calls failed. */
  failures?: boolean;
}

const most = 6;

/** Lists the largest rows by spend, then by requests, with their shares of the total. */
export function TopCard({ title, view, by, name, failures }: TopCardProps) {
  const { span } = view;
  const query = useSummary({ from: span.from, to: span.to, by });
  const top = useMemo(() => query.data && rank(query.data), [query.data]);
  return (
    <Card padding={0} className={classes["card"]}>
      <Group justify="space-between" px="lg" pt="md" pb={6}>
        <Title order={2}>{title}</Title>
        {top && top.rest > 0 && <Text size="sm" c="dimmed">{most} of {most + top.rest}</Text>}
      </Group>
      {query.error && !top ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : !top ? <Skeleton h={140} m="md" w="auto" /> : top.rows.length === 0 ? (
        <Text c="dimmed" px="lg" pb="md">No calls in this time.</Text>
      ) : (
        <TopTable title={title} rows={top.rows} whole={top.whole} name={name} {...(failures && { failures })} />
      )}
    </Card>
  );
}

function rank(rows: Row[]) {
  const called = rows.filter((row) => row.requests > 0);
  const sorted = called.toSorted((a, b) => {
    const [x, y] = [parseUsd(a.quota), parseUsd(b.quota)];
    return x === y ? b.requests - a.requests : x > y ? -1 : 1;
  });
  return { rows: sorted.slice(0, most), rest: Math.max(0, sorted.length - most), whole: called.reduce((sum, row) => sum + parseUsd(row.quota), 0n) };
}

function TopTable({ title, rows, whole, name, failures }: Pick<TopCardProps, "title" | "name" | "failures"> & { rows: Row[]; whole: bigint }) {
  return (
    <Table className={classes["table"]} verticalSpacing={8} aria-label={title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Name</Table.Th>
          <Table.Th scope="col" ta="right">Spend</Table.Th>
          <Table.Th scope="col" ta="right">Share</Table.Th>
          <Table.Th scope="col" ta="right">Requests</Table.Th>
          {failures && <Table.Th scope="col" ta="right">Failed</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.value}>
            <Table.Td className={classes["name"]}>{name(row)}</Table.Td>
            <Table.Td ta="right"><Usd amount={row.quota} short /></Table.Td>
            <Table.Td ta="right"><Share percent={share(parseUsd(row.quota), whole)} /></Table.Td>
            <Table.Td ta="right">{shortCount(row.requests)}</Table.Td>
            {failures && <Table.Td ta="right" c={row.failed / row.requests > 0.05 ? "var(--tollgate-bad)" : undefined}>{showShare(row.failed, row.requests)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Share({ percent }: { percent: number }) {
  return (
    <span className={classes["share"]}>
      <span className={classes["track"]} aria-hidden><span style={{ width: `${percent}%` }} /></span>
      <span className={classes["percent"]}>{Math.round(percent)}%</span>
    </span>
  );
}
