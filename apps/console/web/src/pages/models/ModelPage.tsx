import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Card } from "@mantine/core";
import { IconListDetails, IconMessage } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Navigate } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { hasStatus } from "@/api/problem";
import { isOperator, useIdentity } from "@/api/session";
import { DescriptionList } from "@/components/DescriptionList";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { Snippets } from "@/components/Snippets";
import { ErrorState, LoadingState } from "@/components/states";
import { Copyable } from "@/components/values";
import { NotFound } from "@/pages/NotFound";

import { contextOf, modalitiesOf, outputOf } from "./facts";
import { ModelPrices } from "./ModelPrices";
import { Speed } from "./Speed";

const route = getRouteApi("/signed-in/models/$id");

/** Shows a model that the caller may use: what it can do, what the caller pays, how fast it is, and how to call it. */
export function ModelPage() {
  const { id } = route.useParams();
  const operator = isOperator(useIdentity());
  const query = useQuery({
    queryKey: ["models", id],
    queryFn: () => ask(api.GET("/api/models/{id}", { params: { path: { id } } })),
    enabled: !operator,
  });
  if (operator) return <Navigate to="/operator/models/$id" params={{ id }} replace />;
  if (query.data) return <Shown model={query.data} />;
  if (hasStatus(query.error, 404, 400)) return <NotFound />;
  return query.error ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <LoadingState />;
}

function Shown({ model }: { model: Schema<"VisibleModelDetail"> }) {
  const { id, owned_by } = model;
  return (
    <Page
      title={id}
      parent={{ to: "/models", label: t`Models & prices` }}
      aside={
        model.free && (
          <Badge color="green">
            <Trans>Free</Trans>
          </Badge>
        )
      }
      actions={
        <>
          <ButtonLink to="/playground" search={{ model: id }} leftSection={<IconMessage size={16} />}>
            <Trans>Try</Trans>
          </ButtonLink>
          <ButtonLink
            to="/usage-logs"
            search={{ model: id }}
            variant="default"
            leftSection={<IconListDetails size={16} />}
          >
            <Trans>Usage logs</Trans>
          </ButtonLink>
        </>
      }
    >
      <Card>
        <DescriptionList
          items={[
            [t`Model ID`, <Copyable key="id" value={id} label={t`model ID`} />],
            [t`Owned by`, owned_by],
            [t`Context length`, contextOf(model)],
            [t`Max output tokens`, outputOf(model)],
            [t`Input`, modalitiesOf(model.modalities.input)],
            [t`Output`, modalitiesOf(model.modalities.output)],
          ]}
        />
      </Card>
      <Section title={t`Your price`} description={t`In USD, with the terms of your group.`}>
        <ModelPrices model={model} />
      </Section>
      <Section
        title={t`Speed and errors`}
        description={t`All requests of your organization to this model in the last 24 hours, not only yours.`}
      >
        <Speed recent={model.recent} />
      </Section>
      <Section title={t`Call it`} description={t`Replace YOUR_TOKEN with one of your tokens.`}>
        <Snippets token="YOUR_TOKEN" model={id} />
      </Section>
    </Page>
  );
}
