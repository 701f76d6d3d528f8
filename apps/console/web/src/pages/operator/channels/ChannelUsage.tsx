import { Card, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { Stat } from "@/components/Stat";
import { Bars } from "@/components/usage/Bars";
import { Legend } from "@/components/usage/Legend";
import { showCount, showMillis } from "@/format/number";
import { shortUsd, sumUsd } from "@/format/money";

import { errorShare, firstBytes, percentile, showPercent } from "./health";
import { type Hour, hoursOf } from "./hours";

const day = 24 * 3600_000;

/** Shows the calls, errors and latency of a channel in the last 24 hours. */
export function ChannelUsage({ id }: { id: string }) {
  const hours = useQuery({
    queryKey: ["operator", "hours-of-channel", id],
    queryFn: async () => {
      const now = Date.now();
      const { items } = await ask(api.GET("/api/usage-summary", { params: { query: { by: "channel", bucket: "hour", from: new Date(now - day).toISOString() } } }));
      return { hours: hoursOf(items.filter((row) => row.value === id), now), quota: sumUsd(items.filter((row) => row.value === id).map((row) => row.quota)) };
    },
    refetchInterval: 30_000,
  });
  const latest = useQuery({
    queryKey: ["operator", "latest-of-channel", id],
    queryFn: async () => firstBytes((await ask(api.GET("/api/usage-logs", { params: { query: { limit: 200, channel_id: id } } }))).items).get(id) ?? [],
    refetchInterval: 30_000,
  });
  const requests = hours.data?.hours.reduce((sum, hour) => sum + hour.answered + hour.failed, 0) ?? 0;
  const failed = hours.data?.hours.reduce((sum, hour) => sum + hour.failed, 0) ?? 0;
  const share = errorShare(requests, failed);
  const middle = percentile(latest.data ?? [], 50);
  const slow = percentile(latest.data ?? [], 95);
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Stat label="Calls, 24 h" value={hours.data && showCount(requests)} />
        <Stat label="Errors, 24 h" value={hours.data && (share === undefined ? "–" : showPercent(share))} hint={failed > 0 && `${showCount(failed)} calls ended here with an error`} />
        <Stat label="First byte" value={latest.data && (middle === undefined ? "–" : showMillis(middle))} hint={slow !== undefined && `95% within ${showMillis(slow)}, of the latest ${latest.data?.length} calls`} />
        <Stat label="Charged, 24 h" value={hours.data && shortUsd(hours.data.quota)} />
      </SimpleGrid>
      {requests > 0 ? (
        <Card role="img" aria-label={`Calls by hour in the last day: ${requests}, of which ${failed} failed.`}>
          <HoursChart hours={hours.data?.hours ?? []} />
          <Legend series={series} />
        </Card>
      ) : (
        hours.data && <Text c="dimmed">No calls ended at this channel in the last 24 hours.</Text>
      )}
    </>
  );
}

const series = [
  { name: "Answered", color: "var(--mantine-color-iris-5)" },
  { name: "Failed", color: "var(--mantine-color-red-6)" },
];

function HoursChart({ hours }: { hours: Hour[] }) {
  return (
    <Bars
      height={180}
      bars={hours.map(({ hour, answered, failed }) => ({ key: hour, tick: hour, parts: [answered, failed] }))}
      colors={series.map(({ color }) => color)}
      axis={(calls) => (Number.isInteger(calls) ? showCount(calls) : "")}
      tip={(index) => (
        <>
          <Text size="sm" fw={600}>{hours[index]?.hour}</Text>
          <Text size="sm">{showCount(hours[index]?.answered ?? 0)} answered</Text>
          <Text size="sm">{showCount(hours[index]?.failed ?? 0)} failed</Text>
        </>
      )}
    />
  );
}
