import { Trans } from "@lingui/react/macro";
import { Card, Group, Skeleton, Text, Title } from "@mantine/core";
import { useMemo } from "react";

import type { Schema } from "@/api/client";
import { AnchorLink } from "@/components/links";
import { ErrorState } from "@/components/states";
import { measureNames, showShare } from "@/components/usage/series";
import { ShareBar } from "@/components/usage/ShareBar";
import classes from "@/components/usage/top.module.css";
import { Usd } from "@/components/values";
import { parseUsd, share } from "@/format/money";
import { shortCount, showCount } from "@/format/number";

import type { Dimension } from "./query";
import { only } from "./search";
import { breakdownBy, logsOf, type PartProps, rowsOf } from "./view";

type Row = Schema<"UsageSummaryRow">;

interface TopCardProps extends Omit<PartProps, "set"> {
  title: string;
  by: Dimension;
  /** Shows how many calls failed. */
  failures?: boolean;
  /** Shows the margin, as far as the suppliers' costs are known. */
  margin?: boolean;
}

const most = 6;

/** Lists the largest rows by spend, then by requests, with their shares of the total. */
export function TopCard({ title, usage, view, by, failures, margin }: TopCardProps) {
  const { rows, error } = rowsOf(usage, breakdownBy(usage, by));
  const top = useMemo(() => rows && rank(rows), [rows]);
  const [shown, all] = [showCount(most), showCount(most + (top?.rest ?? 0))];
  return (
    <Card padding={0} className={classes["card"]}>
      <Group justify="space-between" px="lg" pt="md" pb={6}>
        <Title order={2}>{title}</Title>
        {top && top.rest > 0 && (
          <Text size="sm" c="dimmed">
            <Trans>
              Top {shown} of {all}
            </Trans>
          </Text>
        )}
      </Group>
      {error && !top ? (
        <ErrorState error={error} retry={usage.retry} />
      ) : !top ? (
        <Skeleton h={140} m="md" w="auto" />
      ) : top.rows.length === 0 ? (
        <Text c="dimmed" px="lg" pb="md">
          <Trans>No requests in this period.</Trans>
        </Text>
      ) : (
        <TopTable
          title={title}
          rows={top.rows}
          whole={top.whole}
          view={view}
          by={by}
          {...(failures && { failures })}
          {...(margin && { margin })}
        />
      )}
    </Card>
  );
}

function rank(rows: Row[]) {
  const called = rows.filter((row) => row.requests > 0);
  const sorted = called.toSorted((a, b) => {
    const [x, y] = [parseUsd(a.quota), parseUsd(b.quota)];
    return x === y ? b.requests - a.requests : x > y ? -1 : 1;
  });
  return {
    rows: sorted.slice(0, most),
    rest: Math.max(0, sorted.length - most),
    whole: called.reduce((sum, row) => sum + parseUsd(row.quota), 0n),
  };
}

/** Shows the name of a row, with a link to the requests behind it, and of a token to its page. */
function Name({ row, by, view }: Pick<TopCardProps, "by" | "view"> & { row: Row }) {
  const filter = only(by, row.value);
  if (!filter[by])
    return (
      <span className="dimmed">
        <Trans>No channel</Trans>
      </span>
    );
  const shared = { inherit: true, c: "inherit", title: row.name };
  if (by === "token")
    return (
      <AnchorLink to="/tokens/$id" params={{ id: row.value }} {...shared}>
        {row.name}
      </AnchorLink>
    );
  return (
    <AnchorLink to="/usage-logs" search={logsOf(view, filter)} {...shared}>
      {row.name}
    </AnchorLink>
  );
}

function TopTable({
  title,
  rows,
  whole,
  view,
  by,
  failures,
  margin,
}: Omit<TopCardProps, "usage"> & { rows: Row[]; whole: bigint }) {
  const logs = (row: Row, outcome?: "failed") =>
    ({
      to: "/usage-logs",
      search: logsOf(view, { ...only(by, row.value), outcome }),
      inherit: true,
      c: "inherit",
    }) as const;
  const costs = margin && rows.some((row) => (row.supplier?.requests ?? 0) > 0);
  // A phone has no room for all columns if there is a margin. Plain elements: the table of Mantine needs the code of its
  // scroll areas, which the overview would load for nothing else.
  const wide = costs ? "mantine-visible-from-sm" : "";
  return (
    <table className={classes["table"]} aria-label={title}>
      <thead>
        <tr>
          <th scope="col">
            <Trans>Name</Trans>
          </th>
          <th scope="col">{measureNames.spend}</th>
          {costs && (
            <th scope="col">
              <Trans>Margin</Trans>
            </th>
          )}
          <th scope="col" className={wide}>
            <Trans>Share</Trans>
          </th>
          <th scope="col" className={failures ? wide : ""}>
            {measureNames.requests}
          </th>
          {failures && (
            <th scope="col">
              <Trans>Failed</Trans>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.value}>
            <td className={classes["name"]}>
              <Name row={row} by={by} view={view} />
            </td>
            <td>
              <Usd amount={row.quota} short />
            </td>
            {costs && (
              <td>{row.supplier && row.supplier.requests > 0 ? <Usd amount={row.supplier.margin} short /> : "–"}</td>
            )}
            <td className={wide}>
              <ShareBar percent={share(parseUsd(row.quota), whole)} />
            </td>
            <td className={failures ? wide : ""}>
              <AnchorLink {...logs(row)}>{shortCount(row.requests)}</AnchorLink>
            </td>
            {failures && (
              <td className={row.failed / row.requests > 0.05 ? classes["bad"] : undefined}>
                <AnchorLink {...logs(row, "failed")}>{showShare(row.failed, row.requests)}</AnchorLink>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
