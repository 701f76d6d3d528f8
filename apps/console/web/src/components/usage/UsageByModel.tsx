import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Group, SimpleGrid, Title } from "@mantine/core";
import { useMemo, useState } from "react";

import { SegmentedControl } from "@/components/SegmentedControl";
import { Stat } from "@/components/Stat";
import { Usd } from "@/components/values";
import { decimalUsd } from "@/format/money";
import { shortCount } from "@/format/number";

import { logTimes, ranges, spanOf, type Range } from "./range";
import { rangeNames } from "./rangeNames";
import { measureNames, measures, showShare, stack, total, type Measure } from "./series";
import { UsageChart } from "./UsageChart";
import { useNow } from "./useNow";
import { useSummary } from "./useSummary";

/** Whose usage is shown: that of a token, a user or a tenant, by the names of the filters of the usage logs. */
interface Owner {
  token?: string;
  user?: string;
  tenant?: string;
}

/** Shows the usage of a token, a user or a tenant over time and by model. Its parts lead to the usage logs. */
export function UsageByModel(owner: Owner) {
  const [range, setRange] = useState<Range>("30d");
  const [measure, setMeasure] = useState<Measure>("spend");
  const now = useNow();
  const span = useMemo(() => spanOf(range, now), [range, now]);
  const query = useSummary({
    from: span.from,
    to: span.to,
    bucket: span.bucket,
    by: "model",
    token_id: owner.token,
    user_id: owner.user,
    tenant_id: owner.tenant,
  });
  const rows = query.data;
  const data = useMemo(() => rows && stack(rows, measure, span), [rows, measure, span]);
  const all = useMemo(() => rows && total(rows), [rows]);
  const measureName = measureNames[measure];
  const rangeName = rangeNames[range];
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Stat label={t`Spend`} value={all && <Usd amount={decimalUsd(all.spend)} short />} />
        <Stat label={t`Requests`} value={all && shortCount(all.requests)} />
        <Stat label={t({ message: "Tokens", context: "count" })} value={all && shortCount(all.tokens)} />
        <Stat label={t`Failed`} value={all && showShare(all.failed, all.requests)} />
      </SimpleGrid>
      <Card>
        <Group justify="space-between" mb="md">
          <Title order={2}>
            <Trans>Usage by model</Trans>
          </Title>
          <Group gap="xs">
            <SegmentedControl
              aria-label={t`Measure`}
              data={measures.map((value) => ({ value, label: measureNames[value] }))}
              value={measure}
              onChange={setMeasure}
            />
            <SegmentedControl
              aria-label={t`Time range`}
              data={ranges.map((value) => ({ value, label: value }))}
              value={range}
              onChange={setRange}
            />
          </Group>
        </Group>
        <UsageChart
          title={t({
            message: `${measureName} by model, ${rangeName}`,
            comment: "The title of a chart, such as: Spend by model, 7 days",
          })}
          data={data}
          measure={measure}
          bucket={span.bucket}
          error={query.error}
          retry={() => void query.refetch()}
          logs={(start, model) => ({ ...owner, model, ...logTimes(span, start) })}
        />
      </Card>
    </>
  );
}
