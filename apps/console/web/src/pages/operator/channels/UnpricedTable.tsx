import { plural, t } from "@lingui/core/macro";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { EmptyState } from "@/components/states";
import { showCount } from "@/format/number";
import { unpricedQuery } from "@/pages/operator/catalog/queries";

import { unpricedLabel } from "./types";

type Count = Schema<"UnpricedCall">;

const kind = (): Column<Count> => ({ id: "charge", header: t`Charge`, cell: (row) => unpricedLabel(row.kind) });
const calls = (): Column<Count> => ({
  id: "calls",
  header: t`Calls`,
  align: "right",
  cell: (row) => showCount(row.calls),
});
const channel = (): Column<Count> => ({
  id: "channel",
  header: t`Channel`,
  cell: (row) => (
    <Link to="/operator/channels/$id" params={{ id: row.channel_id }}>
      {row.channel || row.channel_id.slice(-8)}
    </Link>
  ),
});

/**
 * Counts the calls of the last days whose provider charged for something without a price: of one channel, or of all.
 */
export function UnpricedTable({ channelId }: { channelId?: string }) {
  const { data, error } = useQuery(unpricedQuery(channelId));
  const days = data?.days ?? 7;
  return (
    <DataTable
      caption={t`Calls with a charge without a price`}
      columns={channelId ? [kind(), calls()] : [channel(), kind(), calls()]}
      rows={data?.items}
      error={error}
      rowKey={(row) => `${row.channel_id} ${row.kind}`}
      skeletonRows={1}
      empty={
        <EmptyState icon={IconCircleCheck} title={t`No charges without a price`}>
          {plural(days, {
            one: "No call of the last day had such a charge.",
            other: "No call of the last # days had such a charge.",
          })}
        </EmptyState>
      }
    />
  );
}
