import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Badge, Button, Card, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconCoin, IconMessage, IconPencil } from "@tabler/icons-react";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { api, ask } from "@/api/client";
import { confirm } from "@/components/confirm";
import { DescriptionList } from "@/components/DescriptionList";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { ErrorState, LoadingState } from "@/components/states";
import { Copyable, Moment, Status } from "@/components/values";
import { showCount } from "@/format/number";
import { showRateLimits } from "@/components/limits/limits";
import { channelsQuery, modelsQuery, type Model } from "@/pages/operator/catalog/queries";
import { NotFound } from "@/pages/NotFound";

import { EditModel } from "./EditModel";
import { showContext, showModalities } from "./facts";
import { GroupPrices } from "./GroupPrices";
import { rowsOf } from "./models";
import { PriceEditor } from "./PriceEditor";
import { PriceHistory } from "./PriceHistory";
import { PriceTable } from "./PriceTable";
import { Serving } from "./Serving";

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
      parent={{ to: "/operator/models", label: t`Models & prices` }}
      aside={
        <Group gap={6}>
          <Status value={model.status} />
          {model.free && (
            <Badge color="green">
              <Trans>Free</Trans>
            </Badge>
          )}
        </Group>
      }
      actions={
        <>
          <ButtonLink variant="default" to="/operator/audit-log" search={{ target: model.id }}>
            <Trans>Audit log</Trans>
          </ButtonLink>
          <ButtonLink
            variant="default"
            leftSection={<IconMessage size={16} />}
            to="/operator/playground"
            search={{ model: model.id }}
          >
            <Trans>Try</Trans>
          </ButtonLink>
          <Button leftSection={<IconCoin size={16} />} onClick={price.open}>
            <Trans>Change the price</Trans>
          </Button>
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={editor.open}>
            <Trans>Edit</Trans>
          </Button>
          <Button
            variant={enabled ? "light" : "filled"}
            color={enabled ? "red" : undefined}
            onClick={() => switchModel(client, model)}
          >
            {enabled ? t`Disable` : t`Enable`}
          </Button>
        </>
      }
    >
      {attention.includes("unpriced") && (
        <Alert color="yellow" title={t`Not priced`}>
          <Trans>Clients don’t see this model until it has a price or is marked as free.</Trans>
        </Alert>
      )}
      {attention.includes("unserved") && (
        <Alert color="yellow" title={t`Not served`}>
          <Trans>No enabled channel serves this model, so clients don’t see it.</Trans>
        </Alert>
      )}
      <Card>
        <ModelDescription model={model} />
      </Card>
      <Section
        title={t`Current price`}
        description={t`USD per 1M tokens and per request. A class without its own price costs the same as its base class.`}
      >
        <PriceTable model={model} />
      </Section>
      <Section
        title={t`What groups pay`}
        description={t`The price times the group’s multiplier, or the group’s fixed price per request.`}
      >
        <GroupPrices model={model} />
      </Section>
      <Section
        title={t`Price history`}
        description={t`Prices never change. Each version applies until the next one.`}
        actions={
          <Button size="xs" variant="default" onClick={price.open}>
            <Trans>Schedule a change</Trans>
          </Button>
        }
      >
        <PriceHistory model={model} />
      </Section>
      <Section
        title={t`Channels`}
        description={t`The channels that serve this model, in the order in which calls try them.`}
      >
        <Serving model={model.id} channels={serving} error={channels.error} />
      </Section>
      <EditModel opened={editing} close={editor.close} model={model} />
      <PriceEditor opened={pricing} close={price.close} model={model} />
    </Page>
  );
}

function ModelDescription({ model }: { model: Model }) {
  return (
    <DescriptionList
      items={[
        [t`ID`, <Copyable key="id" value={model.id} label={t`model ID`} />],
        [t`Owned by`, model.owned_by],
        [t`Max output tokens`, showCount(model.max_output)],
        [t`Context length`, showContext(model.context_length) ?? t`Unknown`],
        [t`Modalities`, showModalities(model.modalities) ?? t`Unknown`],
        [t`Limits per tenant`, showRateLimits(model.limits) ?? t`Unlimited`],
        [t`Created`, <Moment key="created" at={model.created_at} />],
      ]}
    />
  );
}

function switchModel(client: QueryClient, model: Model) {
  const { id } = model;
  const enabled = model.status === "enabled";
  confirm({
    title: enabled ? t`Disable ${id}?` : t`Enable ${id}?`,
    children: enabled
      ? t`Within a second, clients get the error 404 model_not_found. Prices and usage logs are kept.`
      : t`Within a second, clients whose group allows this model can call it.`,
    confirm: enabled ? t`Disable` : t`Enable`,
    harmless: !enabled,
    act: async () => {
      await ask(
        api.PATCH("/api/operator/models/{id}", {
          params: { path: { id } },
          body: { status: enabled ? "disabled" : "enabled" },
        }),
      );
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: enabled ? t`Model ${id} disabled.` : t`Model ${id} enabled.` });
    },
  });
}
