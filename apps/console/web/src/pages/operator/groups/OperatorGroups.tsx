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
import { plural } from "@/format/number";
import { showUsd } from "@/format/money";
import { showRateLimits } from "@/components/limits/limits";
import { coversAny } from "@/pages/operator/catalog/patterns";
import { groupsQuery, modelsQuery, maxRows, type Group } from "@/pages/operator/catalog/queries";

import { GroupEditor } from "./GroupEditor";

const route = getRouteApi("/signed-in/operator/groups");

/** Lists all user groups with their models and their price rules. */
export function OperatorGroups() {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const groups = useQuery(groupsQuery);
  const models = useQuery(modelsQuery);
  const [creating, editor] = useDisclosure();
  const found = groups.data?.items.filter((group) => `${group.name} ${group.models.join(" ")}`.toLowerCase().includes(search?.toLowerCase() ?? ""));
  const columns = columnsOf(models.data?.items.map(({ id }) => id));
  return (
    <Page
      title="Groups" description="Every user belongs to a group. It says which models he may call, and what he pays for them."
      actions={<Button leftSection={<IconPlus size={16} />} onClick={editor.open}>New group</Button>}
    >
      <SearchInput label="Search groups" value={search ?? ""} onSearch={(text) => void navigate({ search: { search: text || undefined }, replace: true })} />
      {groups.data?.more && <Alert color="yellow">Only the first {maxRows} groups are shown.</Alert>}
      <DataTable
        caption="Groups" columns={columns} rows={found} rowKey={({ id }) => id} error={groups.error} retry={() => void groups.refetch()} faded={({ status }) => status !== "enabled"}
        onRowClick={({ id }) => void navigate({ to: "/operator/groups/$id", params: { id } })}
        empty={
          search ? (
            <EmptyState icon={IconUsersGroup} title="No group matches" action={<Button variant="default" onClick={() => void navigate({ search: {} })}>Show all groups</Button>} />
          ) : (
            <EmptyState icon={IconUsersGroup} title="No groups yet" action={<Button onClick={editor.open}>New group</Button>}>Without a group no user can be created.</EmptyState>
          )
        }
      />
      <GroupEditor opened={creating} close={editor.close} />
    </Page>
  );
}

function columnsOf(ids: string[] | undefined): Column<Group>[] {
  return [
    { header: "Group", width: "24%", cell: (group) => <AnchorLink to="/operator/groups/$id" params={{ id: group.id }} c="inherit" fw={500} lineClamp={2}>{group.name}</AnchorLink> },
    { header: "Models", cell: (group) => <Models group={group} ids={ids} /> },
    { header: "Pays", cell: ({ fixed, multiplier }) => <span className="tabular">{fixed ? `${showUsd(fixed)} per request` : `× ${multiplier}`}</span> },
    { header: "Limits of a tenant", cell: ({ limits }) => showRateLimits(limits) ?? <Text component="span" c="dimmed" inherit>Unlimited</Text>, secondary: true },
    { header: "Status", cell: ({ status }) => <Status value={status} /> },
  ];
}

function Models({ group, ids }: { group: Group; ids: string[] | undefined }) {
  const covered = ids?.filter((id) => coversAny(group.models, id)).length;
  return (
    <Row gap={6}>
      <Text component="span" inherit lineClamp={2} className="mono">
        {group.models.length > 0 ? group.models.slice(0, 6).join(", ") : "none"}
        {group.models.length > 6 && ` and ${group.models.length - 6} more`}
      </Text>
      {covered !== undefined && (
        <Text component="span" size="sm" c={covered === 0 ? "var(--tollgate-warn)" : "dimmed"}>
          {plural(covered, "model")}
        </Text>
      )}
    </Row>
  );
}
