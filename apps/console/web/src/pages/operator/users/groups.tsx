import { t } from "@lingui/core/macro";
import { Select, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { messageOf } from "@/api/problem";
import { groupsQuery } from "@/pages/operator/catalog/queries";

/** Reads all groups of the platform. */
const useGroups = () => useQuery({ ...groupsQuery, staleTime: 60_000 });

/** Shows the name of the group with the id. */
export function GroupName({ id }: { id: string }) {
  const { data } = useGroups();
  return <>{data ? (data.items.find((group) => group.id === id)?.name ?? id.slice(-8)) : "…"}</>;
}

/** A select field for a group. */
export function GroupSelect({ error, ...props }: SelectProps) {
  const groups = useGroups();
  const failure = groups.data ? null : groups.error;
  return (
    <Select
      label={t`Group`}
      description={t`Which models the user can call, and at what price`}
      searchable
      data={groups.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
      error={error ?? (failure && messageOf(failure))}
      {...props}
    />
  );
}
