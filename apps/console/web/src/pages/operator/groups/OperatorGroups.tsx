import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group as Row, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { DataTable, type Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { Page } from "@/components/Page";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { Status } from "@/components/values";
import { showCount } from "@/format/number";
import { showRateLimits } from "@/components/limits/limits";
import { coversAny } from "@/pages/operator/catalog/patterns";
import { groupsQuery, modelsQuery, maxRows, type Group } from "@/pages/operator/catalog/queries";

import { GroupEditor } from "./GroupEditor";
import { showRule } from "./rules";

const route = getRouteApi("/signed-in/operator/groups");

/** Lists all user groups with their models and their price rules. */
export function OperatorGroups() {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = useQuery(groupsQuery);
  const models = useQuery(modelsQuery);
  const [creating, editor] = useDisclosure();
  const found = groups.data?.items.filter((group) =>
    `${group.name} ${group.models.join(" ")}`.toLowerCase().includes(search?.toLowerCase() ?? ""),
  );
  const most = showCount(maxRows);
  const columns = columnsOf(models.data?.items.map(({ id }) => id));
  return (
    <Page
      wide
      title={t`Groups`}
      description={t`Every user belongs to a group, which sets the models they can call and the prices they pay.`}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={editor.open}>
          <Trans>New group</Trans>
        </Button>
      }
    >
      <SearchInput
        label={t`Search groups`}
        value={search ?? ""}
        onSearch={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
      />
      {groups.data?.more && (
        <Alert color="yellow">
          <Trans>Only the first {most} groups are shown.</Trans>
        </Alert>
      )}
      <DataTable
        table="groups"
        whole
        caption={t`Groups`}
        columns={columns}
        rows={found}
        rowKey={({ id }) => id}
        error={groups.error}
        retry={() => void groups.refetch()}
        faded={({ status }) => status !== "enabled"}
        onRowClick={({ id }) => void navigate({ to: "/operator/groups/$id", params: { id } })}
        empty={
          search ? (
            <EmptyState
              icon={IconUsersGroup}
              title={t`No matching groups`}
              action={
                <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
                  <Trans>Show all groups</Trans>
                </Button>
              }
            />
          ) : (
            <EmptyState
              icon={IconUsersGroup}
              title={t`No groups yet`}
              action={
                <Button onClick={editor.open}>
                  <Trans>New group</Trans>
                </Button>
              }
            >
              <Trans>Create a group first: every user belongs to one.</Trans>
            </EmptyState>
          )
        }
      />
      <GroupEditor opened={creating} close={editor.close} />
    </Page>
  );
}

function columnsOf(ids: string[] | undefined): Column<Group>[] {
  return [
    {
      id: "group",
      header: t`Group`,
      width: "24%",
      value: (group) => group.name,
      cell: (group) => (
        <AnchorLink to="/operator/groups/$id" params={{ id: group.id }} c="inherit" fw={500} lineClamp={2}>
          {group.name}
        </AnchorLink>
      ),
    },
    {
      id: "models",
      header: t`Models`,
      value: (group) => group.models.join(" "),
      cell: (group) => <Models group={group} ids={ids} />,
    },
    {
      id: "price_rule",
      header: t`Price rule`,
      value: showRule,
      cell: (group) => <span className="tabular">{showRule(group)}</span>,
    },
    {
      id: "limits_per_tenant",
      header: t`Limits per tenant`,
      value: ({ limits }) => showRateLimits(limits),
      cell: ({ limits }) =>
        showRateLimits(limits) ?? (
          <span className="dimmed">
            <Trans>Unlimited</Trans>
          </span>
        ),
      secondary: true,
    },
    { id: "status", header: t`Status`, value: ({ status }) => status, cell: ({ status }) => <Status value={status} /> },
  ];
}

function showPatterns(models: readonly string[]): string {
  if (models.length === 0) return t`None`;
  const patterns = models.slice(0, 6).join(", ");
  const more = showCount(models.length - 6);
  return models.length > 6 ? t`${patterns} and ${more} more` : patterns;
}

function Models({ group, ids }: { group: Group; ids: string[] | undefined }) {
  const covered = ids?.filter((id) => coversAny(group.models, id)).length;
  return (
    <Row gap={6}>
      <Text component="span" inherit lineClamp={2} className="mono">
        {showPatterns(group.models)}
      </Text>
      {covered !== undefined && (
        <Text component="span" size="sm" c={covered === 0 ? "var(--tollgate-warn)" : "dimmed"}>
          {plural(covered, { one: "# model", other: "# models" })}
        </Text>
      )}
    </Row>
  );
}
