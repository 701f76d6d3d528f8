import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Box, Button, Group, Text } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";

import type { Schema } from "@/api/client";
import { hasStatus, messageOf } from "@/api/problem";
import { useIdentity } from "@/api/session";
import { DataTable } from "@/components/DataTable";
import { NothingSoFar } from "@/components/NothingSoFar";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import type { ListOrder } from "@/components/table/useListOrder";

import { isFiltered, type LogFilters } from "./filters";
import { findCall, type FoundCall } from "./findCall";
import { logColumns } from "./LogColumns";
import { LogTotals } from "./LogTotals";
import { useRefusedTable } from "./RefusedCalls";
import classes from "./UsageLogs.module.css";
import { isLive, type LiveState, type useLogPages } from "./useLogPages";

type UsageLog = Schema<"UsageLog">;

interface ListProps {
  filters: LogFilters;
  clear: () => void;
  open: (row: { id: string }) => void;
}

/** What both lists have in common. */
function useTable({ open }: Pick<ListProps, "open">) {
  const identity = useIdentity();
  return {
    table: "usage-logs",
    dense: true,
    caption: t`Usage logs`,
    columns: useMemo(() => logColumns(identity), [identity]),
    rowKey: (log: UsageLog) => log.id,
    onRowClick: open,
  };
}

/** Shows one request, which is found by its id. */
export function OneLog({ id, clear, open }: Omit<ListProps, "filters"> & { id: string }) {
  const table = useTable({ open });
  const refusedTable = useRefusedTable(open);
  const query = useQuery({
    queryKey: ["usage-logs", "by-id", id],
    queryFn: async (): Promise<FoundCall> => {
      try {
        return await findCall(id);
      } catch (error) {
        if (hasStatus(error, 404)) return {};
        throw error;
      }
    },
  });
  if (query.data?.refused) return <DataTable {...refusedTable} whole rows={[query.data.refused]} empty={null} />;
  return (
    <DataTable
      {...table}
      whole
      rows={query.data && (query.data.log ? [query.data.log] : [])}
      error={query.error}
      retry={() => void query.refetch()}
      skeletonRows={1}
      empty={
        <EmptyState
          icon={IconListDetails}
          title={t`No request with this ID`}
          action={
            <Button variant="default" size="xs" onClick={clear}>
              <Trans>Clear filters</Trans>
            </Button>
          }
        >
          <Trans>Requests appear here a second or two after they finish.</Trans>
        </EmptyState>
      }
    />
  );
}

/** Shows the requests that match the filters, by page. On the first page new ones appear by themselves. */
export function LogList({
  filters,
  clear,
  open,
  order,
  logs,
}: ListProps & { order: ListOrder; logs: ReturnType<typeof useLogPages> }) {
  const table = useTable({ open });
  const { pages, state, waiting, release, ref, onScroll } = logs;
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => () => onScroll(0), [onScroll]); // the list for the next filters begins at its top
  const resume = () => {
    frame.current?.querySelector("[role=region]")?.scrollTo({ top: 0 });
    window.scrollTo({ top: 0 });
    release();
  };
  return (
    <>
      <LiveLine state={state} error={pages.error} waiting={waiting} resume={resume} newest={pages.newest} />
      <div ref={ref} onScrollCapture={(event) => onScroll((event.target as HTMLElement).scrollTop)}>
        <div ref={frame}>
          <DataTable
            {...table}
            rows={pages.rows}
            whole={pages.whole}
            order={order}
            error={pages.error}
            retry={pages.retry}
            stale={pages.stale}
            summary={<LogTotals filters={filters} live={isLive(state)} />}
            empty={
              pages.older ? (
                <NothingSoFar icon={IconListDetails} older={pages.older}>
                  <Trans>These filters match few requests. The other requests were not searched yet.</Trans>
                </NothingSoFar>
              ) : (
                <NoLogs filtered={isFiltered(filters)} clear={clear} />
              )
            }
            footer={<Pager pages={pages} />}
            skeletonRows={12}
          />
        </div>
      </div>
    </>
  );
}

interface LiveLineProps {
  state: LiveState;
  /** Why new requests cannot be read. */
  error: unknown;
  /** The number of new requests that are not shown yet. */
  waiting: number;
  /** Shows them. */
  resume: () => void;
  /** Goes to the first page. */
  newest: () => void;
}

/** Tells whether new requests appear by themselves, and why not. */
export function LiveLine({ state, error, waiting, resume, newest }: LiveLineProps) {
  if (state === "off") return null;
  const reason = messageOf(error);
  return (
    <Group gap={8} mih={20} role="status" className={classes["live"]}>
      <Box component="span" className={classes["dot"]} data-state={state} aria-hidden />
      <Text size="sm" c={state === "failing" ? "var(--tollgate-bad)" : "dimmed"}>
        {state === "failing" && <Trans>New requests can't be read: {reason}</Trans>}
        {state === "live" && <Trans>Live: new requests appear at the top</Trans>}
        {state === "reading" && <Trans>Live updates are paused while you read</Trans>}
        {state === "older" && <Trans>Live updates are paused on older pages</Trans>}
        {state === "oldest" && <Trans>No live updates: the oldest requests are first</Trans>}
        {state === "ended" && <Trans>No live updates: this time has ended</Trans>}
      </Text>
      {state === "reading" && waiting > 0 && (
        <Anchor component="button" type="button" size="sm" onClick={resume}>
          {plural(waiting, { one: "Show # newer request", other: "Show # newer requests" })}
        </Anchor>
      )}
      {state === "older" && (
        <Anchor component="button" type="button" size="sm" onClick={newest}>
          <Trans>Back to the newest</Trans>
        </Anchor>
      )}
    </Group>
  );
}

function NoLogs({ filtered, clear }: { filtered: boolean; clear: () => void }) {
  return filtered ? (
    <EmptyState
      icon={IconListDetails}
      title={t`No requests match these filters`}
      action={
        <Button variant="default" size="xs" onClick={clear}>
          <Trans>Clear filters</Trans>
        </Button>
      }
    />
  ) : (
    <EmptyState icon={IconListDetails} title={t`No requests yet`}>
      <Trans>Requests appear here a second or two after they finish.</Trans>
    </EmptyState>
  );
}
