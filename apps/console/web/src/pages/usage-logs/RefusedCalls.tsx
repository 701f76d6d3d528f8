import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Group, Text } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { api, ask, type Schema } from "@/api/client";
import { isOperator, type Identity, useIdentity } from "@/api/session";
import { type Column, DataTable } from "@/components/DataTable";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment } from "@/components/values";
import { showCount } from "@/format/number";

import { isFiltered, type LogFilters, timeOf } from "./filters";
import { reasonWord } from "./refusals";
import classes from "./UsageLogs.module.css";

type RefusedCall = Schema<"RefusedCall">;

interface RefusedProps {
  filters: LogFilters;
  set: (change: Partial<LogFilters>) => void;
  clear: () => void;
  open: (row: { id: string }) => void;
}

/** Lists the requests that were refused before they reached a model, newest first. */
export function RefusedCalls({ filters, set, clear, open }: RefusedProps) {
  const table = useRefusedTable(open);
  const { model, token, user, tenant, reason } = filters;
  const pages = usePages(
    ["refused-calls", filters],
    (after) =>
      ask(
        api.GET("/api/refused-calls", {
          params: {
            query: {
              ...timeOf(filters, Date.now()),
              model,
              token_id: token,
              user_id: user,
              tenant_id: tenant,
              code: reason,
              after,
              limit: 100,
            },
          },
        }),
      ),
    { refetchInterval: 10_000 },
  );
  return (
    <DataTable
      {...table}
      rows={pages.rows}
      whole={pages.whole}
      error={pages.error}
      retry={pages.retry}
      stale={pages.stale}
      summary={<Reasons filters={filters} set={set} />}
      empty={
        <EmptyState
          icon={IconBan}
          title={isFiltered(filters) ? t`No refused requests match these filters` : t`No refused requests`}
          {...(isFiltered(filters) && {
            action: (
              <Button variant="default" size="xs" onClick={clear}>
                <Trans>Clear filters</Trans>
              </Button>
            ),
          })}
        >
          <Trans>Requests that a limit, the quota or a permission stopped appear here for seven days.</Trans>
        </EmptyState>
      }
      footer={<Pager pages={pages} />}
      skeletonRows={12}
    />
  );
}

/** What all lists of refused requests have in common. */
export function useRefusedTable(open: (row: { id: string }) => void) {
  const identity = useIdentity();
  return {
    table: "refused-calls",
    dense: true,
    caption: t`Refused requests`,
    columns: useMemo(() => refusedColumns(identity), [identity]),
    rowKey: (call: RefusedCall) => call.id,
    onRowClick: open,
  };
}

const short = (value: string) => (
  <span className={classes["short"]} title={value}>
    {value || "–"}
  </span>
);

function refusedColumns(identity: Identity): Column<RefusedCall>[] {
  const columns: (Column<RefusedCall> | false)[] = [
    {
      id: "time",
      header: t`Time`,
      value: (call) => call.created_at,
      cell: (call) => <Moment at={call.created_at} clock />,
    },
    {
      id: "reason",
      header: t`Reason`,
      value: (call) => call.code,
      cell: (call) => (
        <Text component="span" inherit fw={500}>
          {reasonWord(call.code)}
        </Text>
      ),
    },
    { id: "message", header: t`Message`, value: (call) => call.message, cell: (call) => short(call.message) },
    { id: "model", header: t`Model`, value: (call) => call.model, cell: (call) => short(call.model) },
    { id: "status", header: "HTTP", value: (call) => call.status, cell: (call) => String(call.status) },
    { id: "token", header: t`Token`, value: (call) => call.token_name, cell: (call) => short(call.token_name) },
    isOperator(identity) && {
      id: "tenant",
      header: t`Tenant`,
      value: (call) => call.tenant,
      cell: (call) => short(call.tenant ?? ""),
    },
    identity.user.role !== "member" && {
      id: "user",
      header: t`User`,
      value: (call) => call.user_email,
      cell: (call) => short(call.user_email),
      secondary: true,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** Counts all refused requests of the filters' time by reason, also those that are not listed. */
function Reasons({ filters, set }: Pick<RefusedProps, "filters" | "set">) {
  const { user, tenant } = filters;
  const { data } = useQuery({
    queryKey: ["refused-calls", "totals", { ...timeOf(filters, 0), span: filters.span, user, tenant }],
    queryFn: () =>
      ask(
        api.GET("/api/refused-call-totals", {
          params: { query: { ...timeOf(filters, Date.now()), user_id: user, tenant_id: tenant } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  if (!data || data.calls === 0) return null;
  const all = showCount(data.calls);
  return (
    <Group gap="xs" role="group" aria-label={t`Reasons`}>
      <Text size="sm" className="tabular">
        {plural(data.calls, { one: `${all} request refused:`, other: `${all} requests refused:` })}
      </Text>
      {data.reasons.map(({ code, calls }) => (
        <Anchor key={code} component="button" type="button" size="sm" onClick={() => set({ reason: code })}>
          {reasonWord(code)} {showCount(calls)}
        </Anchor>
      ))}
      <Text size="sm" c="dimmed">
        <Trans>Counted by whole hours. At most 100 an hour are listed.</Trans>
      </Text>
    </Group>
  );
}
