import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Stack, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { Bars } from "@/components/usage/Bars";
import { tickOf, titleOf } from "@/components/usage/rangeNames";
import { useNow } from "@/components/usage/useNow";
import { showUsd } from "@/format/money";
import { zoneName } from "@/format/zone";
import { runsOut } from "@/pages/overview/runsOut";

import { ahead, daysAhead } from "./statement";

const height = 180;

/**
 * Draws what is left of the quota in the next days, if spending continues as in the last week. Draws nothing without a
 * limit or spending.
 */
export function Outlook({
  quota,
  forecast,
}: {
  quota: Schema<"Quota"> | undefined;
  forecast: Schema<"Forecast"> | undefined;
}) {
  const now = useNow();
  if (!quota || quota.left === null || !forecast || quota.left.startsWith("-") || /^[0.]+$/.test(forecast.daily_spend))
    return null;
  const days = ahead(quota.left, forecast.daily_spend, now);
  const [count, title, zone] = [daysAhead, t`Quota forecast`, zoneName(now)];
  const [start, end] = [days[0], days.at(-1)];
  if (!start || !end) return null;
  const [first, last, from, until] = [
    showUsd(start.left, 2),
    showUsd(end.left, 2),
    titleOf(start.start, "day"),
    titleOf(end.start, "day"),
  ];
  return (
    <Card component="section" aria-label={title}>
      <Stack gap="sm">
        <Text c="dimmed" size="sm">
          <Trans>Quota left over the next {count} days</Trans>
        </Text>
        <div role="img" aria-label={t`${title}: ${first} on ${from}, ${last} on ${until}.`}>
          <Bars
            height={height}
            colors={["var(--mantine-color-iris-6)"]}
            bars={days.map((day) => ({
              key: day.start,
              tick: tickOf(day.start, "day"),
              parts: [Number(day.left) / 1e9],
            }))}
            axis={(dollars) => showUsd(BigInt(Math.round(dollars * 1e9)), 2)}
            tip={(index) => (
              <>
                {titleOf(days[index]?.start ?? "", "day")}:{" "}
                <span className="tabular">{showUsd(days[index]?.left ?? 0n, 2)}</span>
              </>
            )}
          />
        </div>
        <Text size="sm">{runsOut(forecast, now)}</Text>
        <Text size="sm" c="dimmed">
          <Trans>At the average spend of the last week. Days in {zone}.</Trans>
        </Text>
      </Stack>
    </Card>
  );
}
