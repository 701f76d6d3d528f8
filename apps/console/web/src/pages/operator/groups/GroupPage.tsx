import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Card } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconCoin, IconPencil } from "@tabler/icons-react";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { confirm } from "@/components/confirm";
import { DescriptionList } from "@/components/DescriptionList";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { ErrorState, LoadingState } from "@/components/states";
import { Copyable, Moment, Status } from "@/components/values";
import { showRateLimits } from "@/components/limits/limits";
import { groupsQuery, type Group } from "@/pages/operator/catalog/queries";
import { NotFound } from "@/pages/NotFound";

import { GroupEditor } from "./GroupEditor";
import { RuleEditor } from "./RuleEditor";
import { CurrentRules, RuleHistory } from "./RuleTables";
import { meaningOf, type RuleTerms, showRule } from "./rules";
import { VisibleModels } from "./VisibleModels";

const route = getRouteApi("/signed-in/operator/groups/$id");

/** Shows one group with its models and its price rules. */
export function GroupPage() {
  const { id } = route.useParams();
  const groups = useQuery(groupsQuery);
  const group = groups.data?.items.find((found) => found.id === id);
  if (group) return <Shown key={group.id} group={group} />;
  if (groups.data) return <NotFound />;
  return groups.error ? <ErrorState error={groups.error} retry={() => void groups.refetch()} /> : <LoadingState />;
}

function Shown({ group }: { group: Group }) {
  const client = useQueryClient();
  const [editing, editor] = useDisclosure();
  const [ruling, ruleEditor] = useDisclosure();
  const general: RuleTerms = { model: "", multiplier: group.multiplier, fixed: group.fixed };
  const [from, setFrom] = useState(general);
  const enabled = group.status === "enabled";
  const rule = showRule(group);
  const meaning = meaningOf(group);
  const change = (terms: RuleTerms) => {
    setFrom(terms);
    ruleEditor.open();
  };
  return (
    <Page
      title={group.name}
      parent={{ to: "/operator/groups", label: t`Groups` }}
      aside={<Status value={group.status} />}
      actions={
        <>
          <ButtonLink variant="default" to="/operator/audit-log" search={{ target: group.id }}>
            <Trans>Audit log</Trans>
          </ButtonLink>
          <Button leftSection={<IconCoin size={16} />} onClick={() => change(general)}>
            <Trans>Change the price rule</Trans>
          </Button>
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={editor.open}>
            <Trans>Edit</Trans>
          </Button>
          <Button
            variant={enabled ? "light" : "filled"}
            color={enabled ? "red" : undefined}
            onClick={() => switchGroup(client, group)}
          >
            {enabled ? t`Disable` : t`Enable`}
          </Button>
        </>
      }
    >
      {!enabled && (
        <Alert color="yellow" title={t`This group is disabled`}>
          <Trans>Its users can’t call any model.</Trans>
        </Alert>
      )}
      <Card>
        <DescriptionList
          items={[
            [
              t`Models`,
              <span key="models" className="mono">
                {group.models.join(", ") || t`None`}
              </span>,
            ],
            [t`Price rule`, t`${rule} (${meaning})`],
            [t`Limits per tenant`, showRateLimits(group.limits) ?? t`Unlimited`],
            [t`Created`, <Moment key="created" at={group.created_at} />],
            [t`ID`, <Copyable key="id" value={group.id} label={t`ID`} />],
          ]}
        />
      </Card>
      <Section
        title={t`Current rules`}
        description={t`What the group pays instead of the models’ prices.`}
        actions={
          <Button size="xs" variant="default" onClick={() => change(general)}>
            <Trans>Add a rule</Trans>
          </Button>
        }
      >
        <CurrentRules group={group} change={change} />
      </Section>
      <Section
        title={t`Visible models`}
        description={t`The models that the group’s users can call, and what they pay in USD per 1M tokens and per request.`}
      >
        <VisibleModels group={group} change={change} />
      </Section>
      <Section
        title={t`Rule history`}
        description={t`Rules never change. Each version applies until the next one for the same models.`}
      >
        <RuleHistory group={group} />
      </Section>
      <GroupEditor opened={editing} close={editor.close} group={group} />
      <RuleEditor opened={ruling} close={ruleEditor.close} group={group} from={from} />
    </Page>
  );
}

function switchGroup(client: QueryClient, group: Group) {
  const { name } = group;
  const enabled = group.status === "enabled";
  confirm({
    title: enabled ? t`Disable ${name}?` : t`Enable ${name}?`,
    children: enabled
      ? t`Within a second, its users in all tenants can’t call any model.`
      : t`Within a second, its users can call the group’s models.`,
    confirm: enabled ? t`Disable` : t`Enable`,
    harmless: !enabled,
    act: async () => {
      await ask(
        api.PATCH("/api/operator/groups/{id}", {
          params: { path: { id: group.id } },
          body: { status: enabled ? "disabled" : "enabled" },
        }),
      );
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: enabled ? t`Group ${name} disabled.` : t`Group ${name} enabled.` });
    },
  });
}
