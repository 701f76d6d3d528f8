import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Group as Row } from "@mantine/core";
import { IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { EmptyState } from "@/components/states";
import type { RateName } from "@/components/usage/classes";
import { showExact, showUsd } from "@/format/money";
import { coversAny } from "@/pages/operator/catalog/patterns";
import { groupsQuery, fetchAll, type Group, type Model } from "@/pages/operator/catalog/queries";
import { times } from "@/pages/operator/catalog/rates";

type Rule = Schema<"Rule">;

interface GroupPrice {
  group: Group;
  sees: boolean;
  /** The group's rule for this model only; undefined if the group's rule for all models applies. */
  own: Rule | undefined;
}

/** Lists the price of a model for each group under the current rules. */
export function GroupPrices({ model }: { model: Model }) {
  const groups = useQuery(groupsQuery);
  const rules = useQuery({
    queryKey: ["operator", "rules-of-model", model.id],
    queryFn: () =>
      fetchAll((query) =>
        ask(api.GET("/api/operator/group-rules", { params: { query: { ...query, model: model.id } } })),
      ),
  });
  const own = new Map(
    rules.data?.items.filter((rule) => rule.state === "current").map((rule) => [rule.group_id, rule]),
  );
  const rows =
    rules.data &&
    groups.data?.items.map((group) => ({
      group,
      sees: group.status === "enabled" && coversAny(group.models, model.id),
      own: own.get(group.id),
    }));
  const columns: Column<GroupPrice>[] = [
    {
      id: "group",
      header: t`Group`,
      cell: ({ group }) => (
        <AnchorLink to="/operator/groups/$id" params={{ id: group.id }} c="inherit" fw={500}>
          {group.name}
        </AnchorLink>
      ),
    },
    {
      id: "access",
      header: t`Access`,
      cell: ({ sees, group }) =>
        sees ? t`Yes` : <span className="dimmed">{group.status === "enabled" ? t`No` : t`No (group disabled)`}</span>,
    },
    { id: "rule", header: t`Rule`, cell: (row) => <RuleCell row={row} /> },
    {
      id: "input_1m",
      header: t`Input / 1M`,
      align: "right",
      cell: (row) => <Paid row={row} model={model} name="input" />,
    }, // not translated: a name of the API
    {
      id: "output_1m",
      header: t`Output / 1M`,
      align: "right",
      cell: (row) => <Paid row={row} model={model} name="output" />,
    }, // not translated: a name of the API
    {
      id: "per_request",
      header: t`Per request`,
      align: "right",
      cell: (row) => <Paid row={row} model={model} name="request" />,
    }, // not translated: a name of the API
  ];
  return (
    <DataTable
      caption={t`What groups pay`}
      columns={columns}
      rows={rows?.toSorted((a, b) => Number(b.sees) - Number(a.sees))}
      rowKey={({ group }) => group.id}
      error={groups.error ?? rules.error}
      faded={({ sees }) => !sees}
      skeletonRows={3}
      empty={
        <EmptyState icon={IconUsersGroup} title={t`No groups yet`}>
          <Trans>Nobody can call a model without a group.</Trans>
        </EmptyState>
      }
    />
  );
}

function RuleCell({ row: { group, own } }: { row: GroupPrice }) {
  const fixed = own ? own.fixed : group.fixed;
  const price = fixed && showUsd(fixed);
  return (
    <Row gap={6}>
      <span className="tabular">{price ? t`Fixed ${price}` : `× ${own ? own.multiplier : group.multiplier}`}</span>
      {own && (
        <Badge color="blue">
          <Trans>This model</Trans>
        </Badge>
      )}
    </Row>
  );
}

function Paid({ row: { group, own }, model, name }: { row: GroupPrice; model: Model; name: RateName }) {
  const fixed = own ? own.fixed : group.fixed;
  const rate = model.price?.[name];
  if (fixed)
    return name === "request" ? <span className="tabular">{showUsd(fixed)}</span> : <span className="dimmed">–</span>;
  if (rate === undefined) return <span className="dimmed">–</span>;
  return <span className="tabular">{showExact(times(rate, own ? own.multiplier : group.multiplier))}</span>;
}
