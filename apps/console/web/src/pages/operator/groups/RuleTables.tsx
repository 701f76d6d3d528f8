import { Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconReceipt } from "@tabler/icons-react";
import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { confirm } from "@/components/confirm";
import { DataTable, type Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Status } from "@/components/values";
import { showDateTime } from "@/format/time";
import { fetchAll, type Group } from "@/pages/operator/catalog/queries";

import { currentOf, inOrder, meaningOf, showRule, type Rule } from "./rules";

const modelCell = ({ model }: Rule) => (model ? <AnchorLink to="/operator/models/$id" params={{ id: model }} className="mono">{model}</AnchorLink> : <Text component="span" fw={500} inherit>All models</Text>);
const paysCell = (rule: Rule) => (
  <span>
    <span className="tabular">{showRule(rule)}</span>
    <Text component="span" size="xs" c="dimmed" display="block">{meaningOf(rule)}</Text>
  </span>
);

/** Lists the current price rules of a group. */
export function CurrentRules({ group, change }: { group: Group; change: (model: string) => void }) {
  const rules = useQuery({
    queryKey: ["operator", "rules-of-group", group.id],
    queryFn: () => fetchAll((query) => ask(api.GET("/api/operator/group-rules", { params: { query: { ...query, group_id: group.id } } }))),
  });
  const columns: Column<Rule>[] = [
    { header: "Models", cell: modelCell },
    { header: "Pays", cell: paysCell },
    { header: "Since", cell: ({ effective_from }) => <Moment at={effective_from} /> },
    { header: "Actions", width: 110, align: "right", cell: ({ model }) => <Button size="compact-sm" variant="subtle" aria-label={`Change the rule for ${model || "all models"}`} onClick={() => change(model)}>Change</Button> },
  ];
  return (
    <DataTable
      caption="Rules that hold now" columns={columns} rows={rules.data && currentOf(rules.data.items)} rowKey={({ id }) => id} error={rules.error} retry={() => void rules.refetch()} skeletonRows={2}
      empty={<EmptyState icon={IconReceipt} title="No rule holds">The group&rsquo;s users pay the models&rsquo; own prices.</EmptyState>}
    />
  );
}

/** Lists all versions of a group's price rules, including scheduled ones. */
export function RuleHistory({ group }: { group: Group }) {
  const client = useQueryClient();
  const pages = usePages(["operator", "rules", group.id], (after) => ask(api.GET("/api/operator/group-rules", { params: { query: { group_id: group.id, limit: 25, ...(after && { after }) } } })));
  const columns: Column<Rule>[] = [
    { header: "Holds from", cell: ({ effective_from, state }) => <span className="tabular">{state === "scheduled" ? showDateTime(effective_from) : <Moment at={effective_from} clock />}</span> },
    { header: "Models", cell: modelCell },
    { header: "Pays", cell: paysCell },
    { header: "State", cell: ({ state }) => <Status value={state} /> },
    { header: "Actions", width: 110, align: "right", cell: (rule) => rule.state === "scheduled" && <Button size="compact-sm" variant="subtle" color="red" aria-label={`Withdraw the rule from ${showDateTime(rule.effective_from)}`} onClick={() => withdraw(client, rule)}>Withdraw</Button> },
  ];
  return (
    <DataTable
      caption="Rule history" columns={columns} rows={pages.rows && inOrder(pages.rows)} rowKey={({ id }) => id} error={pages.error} retry={pages.retry} stale={pages.stale} skeletonRows={3}
      faded={({ state }) => state === "withdrawn"} footer={<Pager pages={pages} />} empty={<EmptyState icon={IconReceipt} title="No rule yet">The group has always paid the models&rsquo; own prices.</EmptyState>}
    />
  );
}

function withdraw(client: QueryClient, rule: Rule) {
  confirm({
    title: "Withdraw the scheduled rule?",
    children: `The rule from ${showDateTime(rule.effective_from)} on will never hold. The version before it goes on.`,
    confirm: "Withdraw",
    act: async () => {
      await ask(api.POST("/api/operator/group-rules/{id}/withdraw", { params: { path: { id: rule.id } } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: "The scheduled rule is withdrawn." });
    },
  });
}
