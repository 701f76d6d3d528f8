import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Card, Group, Title } from "@mantine/core";
import { useMemo } from "react";

import { SegmentedControl } from "@/components/SegmentedControl";
import { betweenName, rangeNames } from "@/components/usage/rangeNames";
import { allMeasures, type Measure, measureNames, measures, stack } from "@/components/usage/series";
import { UsageChart } from "@/components/usage/UsageChart";

import type { Dimension } from "./query";
import { dimensionNames, only } from "./search";
import { logsOf, type PartProps, rowsOf } from "./view";

const titles: Record<Measure, Partial<Record<Dimension, MessageDescriptor>>> = {
  spend: {
    model: msg`Spend by model`,
    token: msg`Spend by token`,
    user: msg`Spend by user`,
    tenant: msg`Spend by tenant`,
    channel: msg`Spend by channel`,
  },
  requests: {
    model: msg`Requests by model`,
    token: msg`Requests by token`,
    user: msg`Requests by user`,
    tenant: msg`Requests by tenant`,
    channel: msg`Requests by channel`,
  },
  tokens: {
    model: msg`Tokens by model`,
    token: msg`Tokens by API token`,
    user: msg`Tokens by user`,
    tenant: msg`Tokens by tenant`,
    channel: msg`Tokens by channel`,
  },
  cost: { model: msg`Cost by model`, tenant: msg`Cost by tenant`, channel: msg`Cost by channel` },
};

/** Shows usage over time, stacked by the selected dimension. Operators also see what suppliers charge. */
export function UsageCard({ view, usage, set, operator }: PartProps & { operator?: boolean }) {
  const { span, by, choices } = view;
  // Costs are not known by token and user.
  const costs = operator && usage.data?.total.supplier && by !== "token" && by !== "user";
  const offered = costs ? allMeasures : measures;
  const measure = offered.find((one) => one === view.measure) ?? "spend";
  const { rows, error } = rowsOf(usage, usage.data?.series);
  const data = useMemo(() => rows && stack(rows, measure, span), [rows, measure, span]);
  const named = titles[measure][by];
  const title = named ? i18n._(named) : measureNames[measure];
  const range = view.range ? rangeNames[view.range] : betweenName(span.from, span.to);
  const pick = (value: string) => {
    const filter = only(by, value);
    if (filter[by]) set({ ...filter, by: choices.find((one) => one !== by) });
  };
  return (
    <Card>
      <Group justify="space-between" mb="md" gap="xs">
        <Title order={2}>{title}</Title>
        <Group gap="xs">
          <SegmentedControl
            aria-label={t`Measure`}
            data={offered.map((value) => ({ value, label: measureNames[value] }))}
            value={measure}
            onChange={(picked) => set({ measure: picked })}
          />
          <SegmentedControl
            aria-label={t`Group by`}
            data={choices.map((value) => ({ value, label: dimensionNames[value] }))}
            value={by}
            onChange={(value) => set({ by: value })}
          />
        </Group>
      </Group>
      <UsageChart
        title={t`${title}, ${range}`}
        data={data}
        measure={measure}
        bucket={span.bucket}
        error={error}
        retry={usage.retry}
        logs={(start, value) => logsOf(view, only(by, value), start)}
        {...(choices.length > 1 && { pick })}
      />
    </Card>
  );
}
