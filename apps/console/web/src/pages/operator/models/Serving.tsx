import { t } from "@lingui/core/macro";
import { IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import { StatusOfChannel } from "@/components/channels/StatusOfChannel";
import { type Column, DataTable } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { EmptyState } from "@/components/states";
import { type Channel, channelsHealthQuery } from "@/pages/operator/catalog/queries";

/** Lists the channels that serve a model, with their status. `channels` is undefined while they load. */
export function Serving({
  model,
  channels,
  error,
}: {
  model: string;
  channels: Channel[] | undefined;
  error: unknown;
}) {
  const health = useQuery(channelsHealthQuery).data;
  const columns: Column<Channel>[] = [
    {
      id: "channel",
      header: t`Channel`,
      width: "30%",
      cell: ({ id, name }) => (
        <AnchorLink to="/operator/channels/$id" params={{ id }} c="inherit" fw={500}>
          {name}
        </AnchorLink>
      ),
    },
    {
      id: "status",
      header: t`Status`,
      width: "30%",
      cell: ({ id, status }) => <StatusOfChannel setting={status} health={health?.get(id)} reason />,
    },
    {
      id: "upstream_model",
      header: t`Upstream model`,
      cell: ({ models }) => <span className="mono">{models[model]}</span>,
    },
    { id: "priority", header: t`Priority`, align: "right", cell: ({ priority }) => priority },
    { id: "weight", header: t`Weight`, align: "right", cell: ({ weight }) => weight },
  ];
  return (
    <DataTable
      caption={t`Channels`}
      columns={columns}
      rows={channels?.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight)}
      rowKey={({ id }) => id}
      error={error}
      faded={({ status }) => status !== "enabled"}
      skeletonRows={2}
      empty={<EmptyState icon={IconRoute} title={t`No channel serves this model`} />}
    />
  );
}
