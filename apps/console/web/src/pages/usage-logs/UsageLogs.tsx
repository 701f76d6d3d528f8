import { Button, Group, Switch, Text } from "@mantine/core";
import { useHover, useWindowScroll } from "@mantine/hooks";
import { IconFileExport, IconListDetails } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { DataTable } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";

import { ExportDialog } from "./ExportDialog";
import { ExportsPopover } from "./ExportsPopover";
import { filtersOf, isFiltered, logQuery, type LogFilters, type LogSearch } from "./filters";
import { logColumns } from "./LogColumns";
import { LogDrawer } from "./LogDrawer";
import { LogFilterBar } from "./LogFilterBar";
import { useLiveLogs } from "./useLiveLogs";

type UsageLog = Schema<"UsageLog">;

const route = getRouteApi("/signed-in/usage-logs");

/** Lists the calls that the signed-in user may see, newest first. */
export function UsageLogs() {
  const identity = useIdentity();
  const { live, log, ...filters } = route.useSearch();
  const navigate = useNavigate({ from: "/usage-logs" });
  const [exporting, setExporting] = useState(false);
  const change = (part: Partial<LogSearch>) => void navigate({ search: (before) => ({ ...before, ...part }), replace: !("log" in part) });
  const clear = () => void navigate({ search: live ? { live } : {}, replace: true });
  // A list that ends in the past receives no new logs, so it cannot be live.
  const past = filters.to !== undefined;
  const list = { filters, clear, open: (row: UsageLog) => change({ log: row.id }) };
  return (
    <Page
      wide
      title="Usage logs"
      description={isOperator(identity) ? "Every call of every tenant, with what was deducted for it." : "Every call, with what was deducted for it."}
      actions={
        <>
          <Switch label="Live" checked={live === true && !past} disabled={past} onChange={(event) => change({ live: event.currentTarget.checked || undefined })} />
          <ExportsPopover />
          <Button variant="default" leftSection={<IconFileExport size={16} />} onClick={() => setExporting(true)}>Export</Button>
        </>
      }
    >
      <LogFilterBar filters={filters} set={change} clear={clear} />
      {live && !past ? <LiveLogs {...list} /> : <PagedLogs {...list} />}
      <LogDrawer id={log} close={() => change({ log: undefined })} />
      <ExportDialog opened={exporting} close={() => setExporting(false)} filters={filtersOf(filters)} />
    </Page>
  );
}

interface ListProps {
  filters: LogFilters;
  clear: () => void;
  open: (row: UsageLog) => void;
}

function PagedLogs({ filters, clear, open }: ListProps) {
  const columns = useColumns();
  const key = ["usage-logs", "pages", filters];
  const pages = usePages(key, (after) => ask(api.GET("/api/usage-logs", { params: { query: { ...logQuery(filters, Date.now()), after, limit: 50 } } })));
  return (
    <DataTable
      dense
      caption="Usage logs"
      columns={columns}
      rows={pages.rows}
      rowKey={(log) => log.id}
      error={pages.error}
      retry={pages.retry}
      stale={pages.stale}
      onRowClick={open}
      empty={pages.older ? <NoMatchOnPage older={pages.older} /> : <NoLogs filtered={isFiltered(filters)} clear={clear} />}
      footer={<Pager pages={pages} />}
      skeletonRows={12}
    />
  );
}

function LiveLogs({ filters, clear, open }: ListProps) {
  const columns = useColumns();
  const { ref, hovered } = useHover<HTMLDivElement>();
  const [scroll] = useWindowScroll();
  // New rows would move the row under the pointer, or the text that is being read.
  const held = hovered || scroll.y > 120;
  const { rows, waiting, error, retry } = useLiveLogs(filters, true, held);
  return (
    <>
      <Group gap="xs" h={20} role="status">
        <Text size="sm" c="dimmed">
          {held ? `Held while you read${waiting > 0 ? `: ${waiting} newer` : ""}` : "New calls appear at the top"}
        </Text>
      </Group>
      <div ref={ref}>
        <DataTable
          dense
          caption="Usage logs, live"
          columns={columns}
          rows={rows}
          rowKey={(log) => log.id}
          error={error}
          retry={retry}
          onRowClick={open}
          empty={<NoLogs filtered={isFiltered(filters)} clear={clear} />}
        />
      </div>
    </>
  );
}

function useColumns() {
  const identity = useIdentity();
  return useMemo(() => logColumns(identity), [identity]);
}

/** Shows that no log on this page matches the filters, while older pages exist. */
function NoMatchOnPage({ older }: { older: () => void }) {
  return (
    <EmptyState icon={IconListDetails} title="Nothing found so far" action={<Button variant="default" size="xs" onClick={older}>Search on</Button>}>
      These filters match next to nothing: there are older calls that were not searched yet.
    </EmptyState>
  );
}

function NoLogs({ filtered, clear }: { filtered: boolean; clear: () => void }) {
  return filtered ? (
    <EmptyState icon={IconListDetails} title="No call is like this" action={<Button variant="default" size="xs" onClick={clear}>Clear filters</Button>} />
  ) : (
    <EmptyState icon={IconListDetails} title="No calls yet">Calls stand here within a second or two after they end.</EmptyState>
  );
}
