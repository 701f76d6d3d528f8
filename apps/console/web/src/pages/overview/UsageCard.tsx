import { Card, Group, SegmentedControl, Title } from "@mantine/core";
import { useMemo } from "react";

import { rangeNames } from "@/components/usage/range";
import { measureNames, measures, stack } from "@/components/usage/series";
import { UsageChart } from "@/components/usage/UsageChart";
import { useSummary } from "@/components/usage/useSummary";

import { dimensionNames, dimensions } from "./search";
import type { View } from "./view";

/** Shows usage over time, stacked by the selected dimension. */
export function UsageCard({ view }: { view: View }) {
  const { span, by, measure, choices, set } = view;
  const query = useSummary({ from: span.from, to: span.to, bucket: span.bucket, by });
  const rows = query.data;
  const data = useMemo(() => rows && stack(rows, measure, span.starts), [rows, measure, span]);
  const title = `${measureNames[measure]} by ${dimensionNames[by].toLowerCase()}`;
  return (
    <Card>
      <Group justify="space-between" mb="md" gap="xs">
        <Title order={2}>{title}</Title>
        <Group gap="xs">
          <SegmentedControl aria-label="Measure" data={measures.map((value) => ({ value, label: measureNames[value] }))} value={measure} onChange={(value) => set({ measure: measures.find((one) => one === value) })} />
          <SegmentedControl aria-label="Broken down by" data={choices.map((value) => ({ value, label: dimensionNames[value] }))} value={by} onChange={(value) => set({ by: dimensions.find((one) => one === value) })} />
        </Group>
      </Group>
      <UsageChart title={`${title}, ${rangeNames[view.range]}`} data={data} measure={measure} bucket={span.bucket} error={query.error} retry={() => void query.refetch()} />
    </Card>
  );
}
