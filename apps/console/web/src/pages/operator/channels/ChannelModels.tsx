import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { DataTable, type Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { Copyable, Status } from "@/components/values";
import { modelsQuery, type Channel } from "@/pages/operator/catalog/queries";

interface Served {
  model: string;
  upstream: string;
  /** The status of the model; undefined if the model does not exist. */
  status: string | undefined;
}

const columns = (): Column<Served>[] => [
  {
    id: "public_model",
    header: t`Public model`,
    cell: ({ model, status }) =>
      status ? (
        <AnchorLink to="/operator/models/$id" params={{ id: model }} inherit className="mono">
          {model}
        </AnchorLink>
      ) : (
        <span className="mono">{model}</span>
      ),
  },
  {
    id: "upstream_model",
    header: t`Upstream model`,
    cell: ({ upstream }) => <Copyable value={upstream} label={t`upstream model`} />,
  },
  {
    id: "status",
    header: t`Status`,
    cell: ({ status }) =>
      status ? (
        <Status value={status} />
      ) : (
        <Text component="span" c="var(--tollgate-warn)" inherit>
          <Trans>Not in the catalog, so it can't be called</Trans>
        </Text>
      ),
  },
];

/** Lists the models that a channel serves, with the names that its upstream uses. */
export function ChannelModels({ channel }: { channel: Channel }) {
  const models = useQuery(modelsQuery);
  const [search, setSearch] = useState("");
  const statuses = new Map(models.data?.items.map((model) => [model.id, model.status]));
  const all = Object.entries(channel.models)
    .map(([model, upstream]) => ({
      model,
      upstream,
      status: statuses.get(model) ?? (models.data?.more === false ? undefined : "unknown"),
    }))
    .sort((a, b) => a.model.localeCompare(b.model));
  const shown = all.filter(({ model, upstream }) =>
    `${model} ${upstream}`.toLowerCase().includes(search.toLowerCase()),
  );
  const hidden = shown.length - 200;
  return (
    <>
      {all.length > 10 && <SearchInput label={t`Search models`} value={search} onSearch={setSearch} />}
      <DataTable
        caption={t`Models of the channel`}
        columns={columns()}
        rows={shown.slice(0, 200)}
        rowKey={({ model }) => model}
        empty={<EmptyState title={search ? t`No matching models` : t`This channel serves no models`} />}
        footer={
          hidden > 0 && (
            <Text size="sm" c="dimmed" p="md">
              {plural(hidden, {
                one: "# more model is not shown. Search to find it.",
                other: "# more models are not shown. Search to find them.",
              })}
            </Text>
          )
        }
      />
    </>
  );
}
