import { plural, t } from "@lingui/core/macro";
import { Card, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, ask } from "@/api/client";
import { Section } from "@/components/Section";
import { SegmentedControl } from "@/components/SegmentedControl";
import { ErrorState } from "@/components/states";
import { Stat } from "@/components/Stat";
import { Bars } from "@/components/usage/Bars";
import { Legend } from "@/components/usage/Legend";
import { ranges, spanOf, type Range } from "@/components/usage/range";
import { useNow } from "@/components/usage/useNow";
import { useSummary } from "@/components/usage/useSummary";
import { Usd } from "@/components/values";
import { decimalUsd, percent, shortUsd, sumUsd } from "@/format/money";
import { showCount, showMillis } from "@/format/number";
import { zoneName } from "@/format/zone";

import { errorShare, firstBytes, percentile, showPercent } from "./health";
import { marginOf, stepsOf, type Step } from "./usage";

interface ChannelUsageProps {
  id: string;
  range: Range;
  onRange: (range: Range | undefined) => void;
}

/** Returns the days of a range; 1 for that of 24 hours. */
const daysOf = (range: Range) => (range === "24h" ? 1 : Number.parseInt(range, 10));

function rangeName(range: Range): string {
  const days = daysOf(range);
  return range === "24h" ? t`The last 24 hours` : plural(days, { one: "The last # day", other: "The last # days" });
}

function rangeSentence(range: Range): string {
  const days = daysOf(range);
  const zone = zoneName(Date.now());
  return range === "24h"
    ? t`The last 24 hours.`
    : plural(days, { one: `The last # day, in ${zone}.`, other: `The last # days, in ${zone}.` });
}

function noCalls(range: Range): string {
  const days = daysOf(range);
  return range === "24h"
    ? t`No calls to this channel in the last 24 hours.`
    : plural(days, {
        one: "No calls to this channel in the last # day.",
        other: "No calls to this channel in the last # days.",
      });
}

/** Shows the calls, errors, latency, revenue, cost and margin of a channel. */
export function ChannelUsage({ id, range, onRange }: ChannelUsageProps) {
  return (
    <Section
      title={t`Usage`}
      description={rangeSentence(range)}
      actions={
        <SegmentedControl
          size="sm"
          aria-label={t`Time range`}
          data={ranges.map((value) => ({ value, label: <span title={rangeName(value)}>{value}</span> }))}
          value={range}
          onChange={onRange}
        />
      }
    >
      <Figures id={id} range={range} />
    </Section>
  );
}

function Figures({ id, range }: Pick<ChannelUsageProps, "id" | "range">) {
  const now = useNow();
  const span = useMemo(() => spanOf(range, now), [range, now]);
  const summary = useSummary({ from: span.from, to: span.to, channel_id: id, bucket: span.bucket });
  const latest = useQuery({
    queryKey: ["operator", "latest-of-channel", id],
    queryFn: async () =>
      firstBytes(
        (await ask(api.GET("/api/usage-logs", { params: { query: { limit: 200, channel_id: id } } }))).items,
      ).get(id) ?? [],
    refetchInterval: 30_000,
  });
  const rows = summary.data;
  if (summary.error && !rows) return <ErrorState error={summary.error} retry={() => void summary.refetch()} />;
  const requests = rows?.reduce((sum, row) => sum + row.requests, 0) ?? 0;
  const failed = rows?.reduce((sum, row) => sum + row.failed, 0) ?? 0;
  const share = errorShare(requests, failed);
  const middle = percentile(latest.data ?? [], 50);
  const slow = percentile(latest.data ?? [], 95);
  const steps = stepsOf(rows ?? [], span);
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
        <Stat label={t`Calls`} value={rows && showCount(requests)} />
        <Stat
          label={t`Errors`}
          value={rows && (share === undefined ? "–" : showPercent(share))}
          hint={failed > 0 && plural(failed, { one: "# call failed here", other: "# calls failed here" })}
        />
        <Stat
          label={t`First byte`}
          value={latest.data && (middle === undefined ? "–" : showMillis(middle))}
          hint={slow !== undefined && slowHint(slow, latest.data?.length ?? 0)}
        />
        <Money rows={rows} requests={requests} />
      </SimpleGrid>
      {requests > 0 ? (
        <Card role="img" aria-label={chartLabel(range, requests, failed)}>
          <StepsChart steps={steps} />
          <Legend series={series()} />
        </Card>
      ) : (
        rows && <Text c="dimmed">{noCalls(range)}</Text>
      )}
    </>
  );
}

function slowHint(ms: number, calls: number): string {
  const longest = showMillis(ms);
  return plural(calls, {
    one: `95% within ${longest}, of the latest call`,
    other: `95% within ${longest}, of the latest # calls`,
  });
}

function chartLabel(range: Range, requests: number, failures: number): string {
  const calls = showCount(requests);
  const failed = showCount(failures);
  if (range === "24h") return t`Calls by hour in the last 24 hours: ${calls}, of which ${failed} failed.`;
  const days = daysOf(range);
  return t`Calls by day in the last ${plural(days, { one: "# day", other: "# days" })}: ${calls}, of which ${failed} failed.`;
}

/** Shows what the calls earned and cost. Cost and margin are of the calls whose cost is known. */
function Money({
  rows,
  requests,
}: {
  rows: NonNullable<ReturnType<typeof useSummary>["data"]> | undefined;
  requests: number;
}) {
  const known = rows && marginOf(rows);
  const unknown = requests - (known?.requests ?? 0);
  const none = known?.requests === 0 && known.cost === 0n;
  const share = known && percent(known.margin, known.quota);
  return (
    <>
      <Stat
        label={t`Deducted from tenants`}
        value={rows && <Usd amount={decimalUsd(sumUsd(rows.map((row) => row.quota)))} short />}
      />
      <Stat
        label={t`Supplier’s cost`}
        value={known && (none ? "–" : <Usd amount={decimalUsd(known.cost)} short />)}
        hint={
          none
            ? requests > 0 && t`Add costs below to see it`
            : unknown > 0 &&
              plural(unknown, { one: "# call without a known cost", other: "# calls without a known cost" })
        }
      />
      <Stat
        label={t`Margin`}
        value={known && (none ? "–" : <Usd amount={decimalUsd(known.margin)} short />)}
        hint={known && !none && marginHint(share, shortUsd(known.quota))}
      />
    </>
  );
}

function marginHint(share: string | undefined, deducted: string): string {
  return share
    ? t`${share} of ${deducted} deducted for calls with a known cost`
    : t`Of ${deducted} deducted for calls with a known cost`;
}

const series = () => [
  { name: t`Succeeded`, color: "var(--mantine-color-iris-5)" },
  { name: t`Failed`, color: "var(--mantine-color-red-6)" },
];

function StepsChart({ steps }: { steps: Step[] }) {
  return (
    <Bars
      height={180}
      bars={steps.map(({ start, tick, answered, failed }) => ({ key: start, tick, parts: [answered, failed] }))}
      colors={series().map(({ color }) => color)}
      axis={(calls) => (Number.isInteger(calls) ? showCount(calls) : "")}
      tip={(index) => {
        const { title, answered, failed } = steps[index] ?? { title: "", answered: 0, failed: 0 };
        return (
          <>
            <Text size="sm" fw={600}>
              {title}
            </Text>
            <Text size="sm">{plural(answered, { one: "# succeeded", other: "# succeeded" })}</Text>
            <Text size="sm">{plural(failed, { one: "# failed", other: "# failed" })}</Text>
          </>
        );
      }}
    />
  );
}
