import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Card, Group, Skeleton, Text, Timeline } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useInfiniteQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { confirm } from "@/components/confirm";
import { AnchorLink } from "@/components/links";
import { ErrorState } from "@/components/states";
import { classes, labelOf, tools, type RateName, type ToolName } from "@/components/usage/classes";
import { Status } from "@/components/values";
import { showUsd } from "@/format/money";
import { showCount } from "@/format/number";
import { showAgo, showDateTime } from "@/format/time";
import { Changes } from "@/pages/operator/catalog/Changes";
import { listed } from "@/pages/operator/catalog/labels";
import type { Model } from "@/pages/operator/catalog/queries";
import { toolPrice, type Rates } from "@/pages/operator/catalog/rates";

import { versionsOf, type Version } from "./history";

/** Lists the scheduled, current and past versions of a model's price. */
export function PriceHistory({ model }: { model: Model }) {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: ["operator", "prices", model.id],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET("/api/operator/prices", {
          params: { query: { model: model.id, limit: 50, ...(pageParam && { after: pageParam }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
  if (query.error && !query.data) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton h={120} radius="lg" aria-label={t`Loading`} />;
  const versions = versionsOf(query.data.pages.flatMap((page) => page.items));
  if (versions.length === 0)
    return (
      <Text c="dimmed">
        <Trans>This model has never had a price.</Trans>
      </Text>
    );
  return (
    <Card>
      <Timeline bulletSize={14} lineWidth={2} active={versions.length}>
        {versions.map((version, i) => (
          <Timeline.Item
            key={version.price.id}
            color={colors[version.price.state]}
            lineVariant={version.price.state === "scheduled" ? "dashed" : "solid"}
            title={<Title version={version} withdraw={() => withdraw(client, version)} />}
          >
            <Detail version={version} last={i === versions.length - 1 && !query.hasNextPage} />
          </Timeline.Item>
        ))}
      </Timeline>
      {query.hasNextPage && (
        <Button
          mt="md"
          size="xs"
          variant="default"
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          <Trans>Show older versions</Trans>
        </Button>
      )}
    </Card>
  );
}

const colors = { scheduled: "blue", current: "green", past: "gray", withdrawn: "gray" };

function Title({ version: { price }, withdraw: act }: { version: Version; withdraw: () => void }) {
  const moment = showDateTime(price.effective_from);
  return (
    <Group gap="xs">
      <span>{price.state === "withdrawn" ? t`Was planned from ${moment}` : t`From ${moment}`}</span>
      <Status value={price.state} />
      <AnchorLink
        size="sm"
        to="/operator/audit-log"
        search={{ target: price.id }}
        aria-label={t`Audit log of the price from ${moment}`}
      >
        <Trans>Audit log</Trans>
      </AnchorLink>
      {price.state === "scheduled" && (
        <>
          <Text component="span" size="sm" c="dimmed">
            {showAgo(price.effective_from)}
          </Text>
          <Button size="compact-sm" variant="subtle" color="red" onClick={act}>
            <Trans>Withdraw</Trans>
          </Button>
        </>
      )}
    </Group>
  );
}

/** Lists the classes that have a price of their own. */
const listRates = (rates: Partial<Record<RateName, string>>) =>
  listed(
    classes
      .filter(({ name }) => rates[name] !== undefined)
      .map(({ name }) => `${labelOf(name)} ${showUsd(rates[name] ?? "0")}`),
  );

const listTiers = (tiers: Rates["tiers"]) =>
  (tiers ?? []).map((tier) => {
    const threshold = showCount(tier.above_input);
    const rates = listRates(tier);
    return t`above ${threshold} input tokens: ${rates}`;
  });

function showTool(name: ToolName, amount: string): string {
  const label = labelOf(name);
  const price = showUsd(amount);
  switch (name) {
    case "web_search":
    case "file_search":
      return t`${label} ${price} per call`;
    case "code_interpreter":
      return t`${label} ${price} per session`;
    default:
      return t`${label} ${price} per 1M tokens`;
  }
}

/** Lists a whole price in one line. */
export function summary(price: Rates) {
  const services = Object.entries(price.service_tiers ?? {}).flatMap(([name, service]) => {
    const rates = service.multiplier === undefined ? listRates(service) : `× ${service.multiplier}`;
    return [t`with ${name}: ${rates}`, ...listTiers(service.tiers)];
  });
  const priced = tools.flatMap(({ name }) => {
    const amount = toolPrice(price, name);
    return amount === undefined ? [] : [showTool(name, amount)];
  });
  return [listRates(price) || t`Tokens cost nothing`, ...listTiers(price.tiers), ...services, ...priced].join(
    t({ message: "; ", context: "list", comment: "Between the parts of a price" }),
  );
}

function Detail({ version: { price, changes }, last }: { version: Version; last: boolean }) {
  const whole = summary(price.price);
  const withdrawn = price.withdrawn_at && showAgo(price.withdrawn_at);
  return (
    <Group
      gap={6}
      align="flex-start"
      mt={4}
      mb={4}
      c={price.state === "withdrawn" ? "dimmed" : undefined}
      display="block"
    >
      {changes && changes.length > 0 && <Changes changes={changes} />}
      {changes?.length === 0 && (
        <Text size="sm">
          <Trans>No changes</Trans>
        </Text>
      )}
      <Text size="sm" c="dimmed" mt={changes ? 4 : 0}>
        {last ? t`First price: ${whole}` : whole}
        {withdrawn && (
          <>
            {" "}
            · <Trans>Withdrawn {withdrawn}</Trans>
          </>
        )}
      </Text>
    </Group>
  );
}

function withdraw(client: QueryClient, { price }: { price: Schema<"Price"> }) {
  const moment = showDateTime(price.effective_from);
  confirm({
    title: t`Withdraw the scheduled price?`,
    children: t`The price from ${moment} will not take effect. The version before it continues to apply.`,
    confirm: t`Withdraw`,
    act: async () => {
      await ask(api.POST("/api/operator/prices/{id}/withdraw", { params: { path: { id: price.id } } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: t`Scheduled price withdrawn.` });
    },
  });
}
