import { t } from "@lingui/core/macro";
import { Select, type SelectProps } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { fetchAll } from "@/pages/operator/catalog/queries";

/** Reads all groups of the platform. */
const groupsQuery = queryOptions({
  queryKey: ["groups", "all"],
  queryFn: async () => (await fetchAll((query) => ask(api.GET("/api/operator/groups", { params: { query } })))).items,
  staleTime: 60_000,
});

/** Shows the name of the group with the id. */
export function GroupName({ id }: { id: string }) {
  const { data } = useQuery(groupsQuery);
  return <>{data ? (data.find((group) => group.id === id)?.name ?? id.slice(-8)) : "…"}</>;
}

/** A select field for a group. */
export function GroupSelect(props: SelectProps) {
  const { data = [] } = useQuery(groupsQuery);
  return (
    <Select
      label={t`Group`}
      description={t`Which models the user can call, and at what price`}
      searchable
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      {...props}
    />
  );
}
