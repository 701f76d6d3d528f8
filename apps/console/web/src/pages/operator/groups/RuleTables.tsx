import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group as Row, Text } from "@mantine/core";
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

const modelCell = ({ model }: Rule) =>
  model ? (
    <AnchorLink to="/operator/models/$id" params={{ id: model }} className="mono">
      {model}
    </AnchorLink>
  ) : (
    <Text component="span" fw={500} inherit>
      <Trans>All models</Trans>
    </Text>
  );
const paysCell = (rule: Rule) => (
  <span>
    <span className="tabular">{showRule(rule)}</span>
    <Text component="span" size="xs" c="dimmed" display="block">
      {meaningOf(rule)}
    </Text>
  </span>
);

/** Lists the current price rules of a group. */
export function CurrentRules({ group, change }: { group: Group; change: (rule: Rule) => void }) {
  const rules = useQuery({
    queryKey: ["operator", "rules-of-group", group.id],
    queryFn: () =>
      fetchAll((query) =>
        ask(api.GET("/api/operator/group-rules", { params: { query: { ...query, group_id: group.id } } })),
      ),
  });
  const columns: Column<Rule>[] = [
    { id: "models", header: t`Models`, cell: modelCell },
    { id: "price_rule", header: t`Price rule`, cell: paysCell },
    { id: "since", header: t`Since`, cell: ({ effective_from }) => <Moment at={effective_from} /> },
    {
      id: "actions",
      actions: true,
      header: t`Actions`,
      width: 110,
      align: "right",
      cell: (rule) => <Change rule={rule} change={change} />,
    },
  ];
  return (
    <DataTable
      caption={t`Current rules`}
      columns={columns}
      rows={rules.data && currentOf(rules.data.items)}
      rowKey={({ id }) => id}
      error={rules.error}
      retry={() => void rules.refetch()}
      skeletonRows={2}
      empty={
        <EmptyState icon={IconReceipt} title={t`No rules`}>
          <Trans>The group’s users pay the models’ prices.</Trans>
        </EmptyState>
      }
    />
  );
}

function Change({ rule, change }: { rule: Rule; change: (rule: Rule) => void }) {
  const { model } = rule;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={model ? t`Change the rule for ${model}` : t`Change the rule for all models`}
      onClick={() => change(rule)}
    >
      <Trans>Change</Trans>
    </Button>
  );
}

/** Lists all versions of a group's price rules, including scheduled ones. */
export function RuleHistory({ group }: { group: Group }) {
  const client = useQueryClient();
  const pages = usePages(["operator", "rules", group.id], (after) =>
    ask(
      api.GET("/api/operator/group-rules", {
        params: { query: { group_id: group.id, limit: 25, ...(after && { after }) } },
      }),
    ),
  );
  const columns: Column<Rule>[] = [
    {
      id: "effective_from",
      header: t`Effective from`,
      cell: ({ effective_from, state }) => (
        <span className="tabular">
          {state === "scheduled" ? showDateTime(effective_from) : <Moment at={effective_from} clock />}
        </span>
      ),
    },
    { id: "models", header: t`Models`, cell: modelCell },
    { id: "price_rule", header: t`Price rule`, cell: paysCell },
    { id: "status", header: t`Status`, cell: ({ state }) => <Status value={state} /> },
    {
      id: "actions",
      actions: true,
      header: t`Actions`,
      width: 190,
      align: "right",
      cell: (rule) => <Actions rule={rule} withdraw={() => withdraw(client, rule)} />,
    },
  ];
  return (
    <DataTable
      caption={t`Rule history`}
      columns={columns}
      rows={pages.rows && inOrder(pages.rows)}
      rowKey={({ id }) => id}
      error={pages.error}
      retry={pages.retry}
      stale={pages.stale}
      skeletonRows={3}
      faded={({ state }) => state === "withdrawn"}
      footer={<Pager pages={pages} />}
      empty={
        <EmptyState icon={IconReceipt} title={t`No rules yet`}>
          <Trans>The group has always paid the models’ prices.</Trans>
        </EmptyState>
      }
    />
  );
}

function Actions({ rule: { id, effective_from, state }, withdraw: act }: { rule: Rule; withdraw: () => void }) {
  const moment = showDateTime(effective_from);
  return (
    <Row gap="xs" justify="flex-end" wrap="nowrap">
      {state === "scheduled" && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={t`Withdraw the rule from ${moment}`}
          onClick={act}
        >
          <Trans>Withdraw</Trans>
        </Button>
      )}
      <AnchorLink
        size="sm"
        to="/operator/audit-log"
        search={{ target: id }}
        aria-label={t`Audit log of the rule from ${moment}`}
      >
        <Trans>Audit log</Trans>
      </AnchorLink>
    </Row>
  );
}

function withdraw(client: QueryClient, rule: Rule) {
  const moment = showDateTime(rule.effective_from);
  confirm({
    title: t`Withdraw the scheduled rule?`,
    children: t`The rule from ${moment} will not take effect. The version before it continues to apply.`,
    confirm: t`Withdraw`,
    act: async () => {
      await ask(api.POST("/api/operator/group-rules/{id}/withdraw", { params: { path: { id: rule.id } } }));
      await client.invalidateQueries({ queryKey: ["operator"] });
      notifications.show({ color: "green", message: t`Scheduled rule withdrawn.` });
    },
  });
}
