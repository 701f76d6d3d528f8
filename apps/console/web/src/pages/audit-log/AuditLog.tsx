import { Anchor, Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFileExport, IconHistory } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { messageOf } from "@/api/problem";
import { saveFile } from "@/api/save";
import { isAdmin, useIdentity } from "@/api/session";
import { ActionSelect, type Entry, EntryDrawer, entryColumns } from "@/components/audit/entries";
import { DataTable } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { TimeFilter } from "@/pages/usage-logs/TimeFilter";

import { type AuditFilters, auditQuery } from "./filters";

const route = getRouteApi("/signed-in/audit-log");

/** Shows the audit log of the tenant to its admins and owners. */
export function AuditLog() {
  const identity = useIdentity();
  if (!isAdmin(identity)) {
    return (
      <Page title="Audit log">
        <EmptyState icon={IconHistory} title="The audit log is for admins and owners">
          Ask an admin of your organisation.
        </EmptyState>
      </Page>
    );
  }
  return <Log />;
}

function Log() {
  const filters = route.useSearch();
  const navigate = useNavigate({ from: "/audit-log" });
  const set = (change: AuditFilters) => void navigate({ search: { ...filters, ...change }, replace: true });
  const clear = () => void navigate({ search: {}, replace: true });
  return (
    <Page wide title="Audit log" description="Every change in your organisation, sign-ins, refusals and what operators have read, newest first." actions={<ExportButton filters={filters} />}>
      <Group gap="xs" role="search" aria-label="Filters">
        <TimeFilter value={filters} onChange={set} />
        <ActionSelect of="tenant" value={filters.action} onChange={(action) => set({ action })} />
        <SearchInput label="Who: e-mail address" value={filters.actor ?? ""} maxLength={254} onSearch={(actor) => set({ actor: actor || undefined })} />
        <SearchInput label="Address" value={filters.address ?? ""} maxLength={50} onSearch={(address) => set({ address: address || undefined })} />
        {isFiltered(filters) && <Anchor component="button" type="button" size="sm" onClick={clear}>Clear filters</Anchor>}
      </Group>
      <Entries filters={filters} />
    </Page>
  );
}

const isFiltered = (filters: AuditFilters) => Object.values(filters).some((value) => value !== undefined);

function Entries({ filters }: { filters: AuditFilters }) {
  const [shown, setShown] = useState<Entry>();
  const pages = usePages(["tenant-audit-log", filters], (after) => ask(api.GET("/api/audit-log", { params: { query: { ...auditQuery(filters, Date.now()), after, limit: 50 } } })));
  return (
    <>
      <DataTable
        caption="Audit log"
        columns={entryColumns(setShown)}
        rows={pages.rows}
        rowKey={(entry) => entry.id}
        onRowClick={setShown}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={<EmptyState icon={IconHistory} title={isFiltered(filters) ? "No entry fits these filters" : "Nothing was recorded yet"} />}
        footer={<Pager pages={pages} />}
      />
      <EntryDrawer entry={shown} close={() => setShown(undefined)} />
    </>
  );
}

/** Saves the entries that match the filters as CSV. The server sends at most 100,000 entries. */
function ExportButton({ filters }: { filters: AuditFilters }) {
  const run = useMutation({
    mutationFn: () => ask<Blob>(api.GET("/api/audit-log/file", { params: { query: auditQuery(filters, Date.now()) }, parseAs: "blob" })),
    onSuccess: (file) => saveFile("audit-log.csv", file),
    onError: (error) => notifications.show({ color: "red", message: messageOf(error) }),
  });
  return (
    <Button variant="default" leftSection={<IconFileExport size={16} />} loading={run.isPending} onClick={() => run.mutate()} title="At most the newest 100,000 entries">
      Export
    </Button>
  );
}
