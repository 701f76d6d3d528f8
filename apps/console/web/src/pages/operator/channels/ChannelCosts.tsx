import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconReceipt2 } from "@tabler/icons-react";
import { useInfiniteQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { confirm } from "@/components/confirm";
import { type Column, DataTable } from "@/components/DataTable";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { Status } from "@/components/values";
import { showDateTime } from "@/format/time";
import type { Channel } from "@/pages/operator/catalog/queries";
import { summary } from "@/pages/operator/models/PriceHistory";

import { CostEditor } from "./CostEditor";

type Cost = Schema<"ChannelCost">;

/** Shows the versions of what the channel's upstream charges, for all of its models. */
export function ChannelCosts({ channel }: { channel: Channel }) {
  const [editing, editor] = useDisclosure();
  return (
    <Section
      title={t`Costs`}
      description={t`What the upstream charges for its models, in USD per 1M tokens, times the factor. Tenants don't see it.`}
      actions={
        <Button variant="default" size="xs" onClick={editor.open}>
          <Trans>Add costs</Trans>
        </Button>
      }
    >
      <Versions channel={channel} />
      <CostEditor opened={editing} close={editor.close} channel={channel} />
    </Section>
  );
}

function Versions({ channel }: { channel: Channel }) {
  const client = useQueryClient();
  const query = useInfiniteQuery({
    queryKey: ["operator", "channel-costs", channel.id],
    queryFn: ({ pageParam }) =>
      ask(
        api.GET("/api/operator/channels/{id}/costs", {
          params: { path: { id: channel.id }, query: { limit: 50, ...(pageParam && { after: pageParam }) } },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next || undefined,
  });
  const columns: Column<Cost>[] = [
    {
      id: "upstream_model",
      header: t`Upstream model`,
      cell: (cost) => <span className="mono">{cost.upstream_model}</span>,
    },
    { id: "effective_from", header: t`Effective from`, cell: (cost) => showDateTime(cost.effective_from) },
    { id: "list_prices", header: t`List prices`, width: "40%", cell: (cost) => summary(cost.rates) },
    { id: "factor", header: t`Factor`, align: "right", cell: (cost) => `× ${cost.factor}` },
    {
      id: "state",
      header: t`State`,
      cell: (cost) => (
        <Group gap={6}>
          <Status value={cost.state} />
          {cost.state === "scheduled" && (
            <Button size="compact-sm" variant="subtle" color="red" onClick={() => withdraw(client, cost)}>
              <Trans>Withdraw</Trans>
            </Button>
          )}
        </Group>
      ),
    },
  ];
  return (
    <DataTable
      caption={t`Costs`}
      columns={columns}
      rows={query.data?.pages.flatMap((page) => page.items)}
      rowKey={({ id }) => id}
      skeletonRows={2}
      error={query.error}
      retry={() => void query.refetch()}
      faded={({ state }) => state === "past" || state === "withdrawn"}
      empty={
        <EmptyState icon={IconReceipt2} title={t`No costs yet`}>
          <Trans>Add what the upstream charges for its models, to see the margin of their calls.</Trans>
        </EmptyState>
      }
      footer={
        query.hasNextPage && (
          <Button
            m="md"
            size="xs"
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            <Trans>Show older versions</Trans>
          </Button>
        )
      }
    />
  );
}

function withdraw(client: QueryClient, cost: Cost) {
  const model = cost.upstream_model;
  const start = showDateTime(cost.effective_from);
  confirm({
    title: t`Withdraw the scheduled costs?`,
    children: t`The costs of ${model} from ${start} on will never take effect.`,
    confirm: t`Withdraw`,
    act: async () => {
      await ask(api.POST("/api/operator/channel-costs/{id}/withdraw", { params: { path: { id: cost.id } } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: t`Scheduled costs withdrawn.` });
    },
  });
}
