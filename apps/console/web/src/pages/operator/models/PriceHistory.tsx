import { Button, Card, Group, Skeleton, Text, Timeline } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { confirm } from "@/components/confirm";
import { ErrorState } from "@/components/states";
import { classes, type RateName } from "@/components/usage/classes";
import { Status } from "@/components/values";
import { showUsd } from "@/format/money";
import { showCount } from "@/format/number";
import { showAgo, showDateTime } from "@/format/time";
import { Changes } from "@/pages/operator/catalog/Changes";
import type { Model } from "@/pages/operator/catalog/queries";

import { versionsOf, type Version } from "./history";

/** Lists the scheduled, current and past versions of a model's price. */
export function PriceHistory({ model }: { model: Model }) {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: ["operator", "prices", model.id],
    queryFn: ({ pageParam }) => ask(api.GET("/api/operator/prices", { params: { query: { model: model.id, limit: 50, ...(pageParam && { after: pageParam }) } } })),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
  if (query.error && !query.data) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton h={120} radius="lg" aria-label="Loading" />;
  const versions = versionsOf(query.data.pages.flatMap((page) => page.items));
  if (versions.length === 0) return <Text c="dimmed">The model has never had a price.</Text>;
  return (
    <Card>
      <Timeline bulletSize={14} lineWidth={2} active={versions.length}>
        {versions.map((version, i) => (
          <Timeline.Item key={version.price.id} color={colors[version.price.state]} lineVariant={version.price.state === "scheduled" ? "dashed" : "solid"} title={<Title version={version} withdraw={() => withdraw(client, version)} />}>
            <Detail version={version} last={i === versions.length - 1 && !query.hasNextPage} />
          </Timeline.Item>
        ))}
      </Timeline>
      {query.hasNextPage && (
        <Button mt="md" size="xs" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older versions
        </Button>
      )}
    </Card>
  );
}

const colors = { scheduled: "blue", current: "green", past: "gray", withdrawn: "gray" };

function Title({ version: { price }, withdraw: act }: { version: Version; withdraw: () => void }) {
  return (
    <Group gap="xs">
      <span>
        {price.state === "withdrawn" ? "Was to hold from " : "From "}
        {showDateTime(price.effective_from)}
      </span>
      <Status value={price.state} />
      {price.state === "scheduled" && (
        <>
          <Text component="span" size="sm" c="dimmed">
            {showAgo(price.effective_from)}
          </Text>
          <Button size="compact-sm" variant="subtle" color="red" onClick={act}>
            Withdraw
          </Button>
        </>
      )}
    </Group>
  );
}

/** Lists the classes that have a price of their own. */
const listed = (rates: Partial<Record<RateName, string>>) => classes.filter(({ name }) => rates[name] !== undefined).map(({ name, label }) => `${label} ${showUsd(rates[name] ?? "0")}`).join(", ");

function Detail({ version: { price, changes }, last }: { version: Version; last: boolean }) {
  const tiers = (price.price.tiers ?? []).map((tier) => `; above ${showCount(tier.above_input)} input tokens: ${listed(tier)}`);
  const whole = (listed(price.price) || "Nothing is charged") + tiers.join("");
  return (
    <Group gap={6} align="flex-start" mt={4} mb={4} c={price.state === "withdrawn" ? "dimmed" : undefined} display="block">
      {changes && changes.length > 0 && <Changes changes={changes} />}
      {changes?.length === 0 && <Text size="sm">The same as before.</Text>}
      <Text size="sm" c="dimmed" mt={changes ? 4 : 0}>
        {last ? `First price: ${whole}` : whole}
        {price.withdrawn_at && `. Withdrawn ${showAgo(price.withdrawn_at)}`}
      </Text>
    </Group>
  );
}

function withdraw(client: QueryClient, { price }: { price: Schema<"Price"> }) {
  confirm({
    title: "Withdraw the scheduled price?",
    children: `The price from ${showDateTime(price.effective_from)} on will never hold. The version before it goes on.`,
    confirm: "Withdraw",
    act: async () => {
      await ask(api.POST("/api/operator/prices/{id}/withdraw", { params: { path: { id: price.id } } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: "The scheduled price is withdrawn." });
    },
  });
}
