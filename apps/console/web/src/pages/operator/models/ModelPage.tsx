import { Alert, Badge, Button, Card, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconCoin, IconPencil } from "@tabler/icons-react";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { api, ask } from "@/api/client";
import { confirm } from "@/components/confirm";
import { DescriptionList } from "@/components/DescriptionList";
import { AnchorLink } from "@/components/links";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { ErrorState, LoadingState } from "@/components/states";
import { Copyable, Moment, Status } from "@/components/values";
import { showCount } from "@/format/number";
import { showRateLimits } from "@/components/limits/limits";
import { channelsQuery, modelsQuery, type Channel, type Model } from "@/pages/operator/catalog/queries";
import { NotFound } from "@/pages/NotFound";

import { EditModel } from "./EditModel";
import { GroupPrices } from "./GroupPrices";
import { rowsOf } from "./models";
import { PriceEditor } from "./PriceEditor";
import { PriceHistory } from "./PriceHistory";
import { PriceTable } from "./PriceTable";

const route = getRouteApi("/signed-in/operator/models/$id");

/** Shows one model with its price history, its price for each group and the channels that serve it. */
export function ModelPage() {
  const { id } = route.useParams();
  const models = useQuery(modelsQuery);
  const model = models.data?.items.find((found) => found.id === id);
  if (model) return <Shown key={model.id} model={model} />;
  if (models.data) return <NotFound />;
  return models.error ? <ErrorState error={models.error} retry={() => void models.refetch()} /> : <LoadingState />;
}

function Shown({ model }: { model: Model }) {
  const client = useQueryClient();
  const channels = useQuery(channelsQuery);
  const [editing, editor] = useDisclosure();
  const [pricing, price] = useDisclosure();
  const serving = channels.data?.items.filter((channel) => model.id in channel.models);
  const attention = rowsOf([model], channels.data?.items)[0]?.attention ?? [];
  const enabled = model.status === "enabled";
  return (
    <Page
      title={model.id}
      parent={{ to: "/operator/models", label: "Models & prices" }}
      aside={<Group gap={6}><Status value={model.status} />{model.free && <Badge color="green">Free</Badge>}</Group>}
      actions={
        <>
          <Button leftSection={<IconCoin size={16} />} onClick={price.open}>Change the price</Button>
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={editor.open}>Edit</Button>
          <Button variant={enabled ? "light" : "filled"} color={enabled ? "red" : undefined} onClick={() => switchModel(client, model)}>
            {enabled ? "Disable" : "Enable"}
          </Button>
        </>
      }
    >
      {attention.includes("unpriced") && <Alert color="yellow" title="Not priced">Clients do not see the model until it has a price, or is declared free.</Alert>}
      {attention.includes("unserved") && <Alert color="yellow" title="Not served">No enabled channel serves the model: clients do not see it.</Alert>}
      <Card>
        <ModelDescription model={model} serving={serving} />
      </Card>
      <Section title="Price now" description="USD per 1M tokens, and per request. A class without a price of its own costs what its base class costs.">
        <PriceTable model={model} />
      </Section>
      <Section title="What groups pay" description="The price times the group’s multiplier, or its fixed price per request.">
        <GroupPrices model={model} />
      </Section>
      <Section title="Price history" description="Prices are never changed: each version holds until the next." actions={<Button size="xs" variant="default" onClick={price.open}>Schedule a change</Button>}>
        <PriceHistory model={model} />
      </Section>
      <EditModel opened={editing} close={editor.close} model={model} />
      <PriceEditor opened={pricing} close={price.close} model={model} />
    </Page>
  );
}

function ModelDescription({ model, serving }: { model: Model; serving: Channel[] | undefined }) {
  return (
    <DescriptionList
      items={[
        ["Id", <Copyable key="id" value={model.id} label="model" />],
        ["Owned by", model.owned_by],
        ["Most output tokens", showCount(model.max_output)],
        ["Limits of a tenant", showRateLimits(model.limits) ?? "Unlimited"],
        ["Created", <Moment key="created" at={model.created_at} />],
        ["Channels", <Serving key="channels" channels={serving} />],
      ]}
    />
  );
}

function Serving({ channels }: { channels: Channel[] | undefined }) {
  if (!channels) return "…";
  if (channels.length === 0) return "None";
  return (
    <Group gap={8}>
      {channels.slice(0, 20).map((channel) => (
        <AnchorLink key={channel.id} to="/operator/channels/$id" params={{ id: channel.id }} c={channel.status === "enabled" ? undefined : "dimmed"} td={channel.status === "enabled" ? undefined : "line-through"} title={channel.status === "enabled" ? undefined : "Disabled"}>
          {channel.name}
        </AnchorLink>
      ))}
      {channels.length > 20 && <span>and {channels.length - 20} more</span>}
    </Group>
  );
}

function switchModel(client: QueryClient, model: Model) {
  const enabled = model.status === "enabled";
  confirm({
    title: enabled ? `Disable ${model.id}?` : `Enable ${model.id}?`,
    children: enabled ? "Within a second clients get 404 model_not_found for it. Its prices and usage logs stay." : "Within a second clients whose group covers it can call it.",
    confirm: enabled ? "Disable" : "Enable",
    harmless: !enabled,
    act: async () => {
      await ask(api.PATCH("/api/operator/models/{id}", { params: { path: { id: model.id } }, body: { status: enabled ? "disabled" : "enabled" } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: `${model.id} is ${enabled ? "disabled" : "enabled"}.` });
    },
  });
}
