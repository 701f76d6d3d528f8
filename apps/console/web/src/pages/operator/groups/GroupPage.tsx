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
import { meaningOf, showRule } from "./rules";
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
  const [ruling, rule] = useDisclosure();
  const [model, setModel] = useState("");
  const enabled = group.status === "enabled";
  const change = (id: string) => {
    setModel(id);
    rule.open();
  };
  return (
    <Page
      title={group.name} parent={{ to: "/operator/groups", label: "Groups" }} aside={<Status value={group.status} />}
      actions={
        <>
          <Button leftSection={<IconCoin size={16} />} onClick={() => change("")}>Change the price rule</Button>
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={editor.open}>Edit</Button>
          <Button variant={enabled ? "light" : "filled"} color={enabled ? "red" : undefined} onClick={() => switchGroup(client, group)}>{enabled ? "Disable" : "Enable"}</Button>
        </>
      }
    >
      {!enabled && <Alert color="yellow" title="The group is disabled">Its users may call no model.</Alert>}
      <Card>
        <DescriptionList
          items={[
            ["Models", <span key="models" className="mono">{group.models.join(", ") || "none"}</span>],
            ["Pays", `${showRule(group)}: ${meaningOf(group).toLowerCase()}`],
            ["Limits of a tenant", showRateLimits(group.limits) ?? "Unlimited"],
            ["Created", <Moment key="created" at={group.created_at} />],
            ["Id", <Copyable key="id" value={group.id} label="id" />],
          ]}
        />
      </Card>
      <Section title="Rules now" description="What the group pays in place of the models’ own prices." actions={<Button size="xs" variant="default" onClick={() => change("")}>Add a rule</Button>}>
        <CurrentRules group={group} change={change} />
      </Section>
      <Section title="What this group sees" description="The models that its users may call, with what they pay: USD per 1M tokens, and per request.">
        <VisibleModels group={group} change={change} />
      </Section>
      <Section title="Rule history" description="Rules are never changed: each version holds until the next for the same models.">
        <RuleHistory group={group} />
      </Section>
      <GroupEditor opened={editing} close={editor.close} group={group} />
      <RuleEditor opened={ruling} close={rule.close} group={group} model={model} />
    </Page>
  );
}

function switchGroup(client: QueryClient, group: Group) {
  const enabled = group.status === "enabled";
  confirm({
    title: enabled ? `Disable ${group.name}?` : `Enable ${group.name}?`,
    children: enabled ? "Within a second its users, of all tenants, may call no model." : "Within a second its users may call the group’s models.",
    confirm: enabled ? "Disable" : "Enable",
    harmless: !enabled,
    act: async () => {
      await ask(api.PATCH("/api/operator/groups/{id}", { params: { path: { id: group.id } }, body: { status: enabled ? "disabled" : "enabled" } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: `${group.name} is ${enabled ? "disabled" : "enabled"}.` });
    },
  });
}
