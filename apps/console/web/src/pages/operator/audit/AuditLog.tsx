import { Group, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { searchTenants } from "@/api/names";
import { ActionSelect, type Entry, EntryDrawer, entryColumns } from "@/components/audit/entries";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { RemoteSelect } from "@/components/RemoteSelect";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";

import type { AuditFilters } from "./filters";

const tenantColumn: Column<Entry> = {
  header: "Tenant",
  width: 150,
  cell: (entry) => (entry.tenant_id ? <TenantName id={entry.tenant_id} /> : <Text component="span" c="dimmed" inherit>Platform</Text>),
};

const route = getRouteApi("/signed-in/operator/audit-log");

/** Shows all changes and events on the platform with their actors. */
export function AuditLog() {
  const filters = route.useSearch();
  const [shown, setShown] = useState<Entry>();
  const pages = usePages(["audit-log", filters], (after) => ask(api.GET("/api/operator/audit-log", { params: { query: { ...filters, after } } })));
  const filtered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page title="Audit log" description="Every change that a person or a program made, sign-ins, refusals and reads of tenants' data, newest first. Secrets never stand here.">
      <Filters filters={filters} />
      <DataTable
        caption="Audit log"
        columns={entryColumns(setShown, [tenantColumn])}
        rows={pages.rows}
        rowKey={(entry) => entry.id}
        onRowClick={setShown}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={<EmptyState icon={IconHistory} title={filtered ? "No change fits these filters" : "Nothing was changed yet"} />}
        footer={<Pager pages={pages} />}
      />
      <EntryDrawer entry={shown} close={() => setShown(undefined)} tenant={shown?.tenant_id ? <TenantName id={shown.tenant_id} /> : "Platform"} />
    </Page>
  );
}

function Filters({ filters }: { filters: AuditFilters }) {
  const navigate = useNavigate();
  const set = (change: AuditFilters) => void navigate({ to: "/operator/audit-log", search: { ...filters, ...change }, replace: true });
  return (
    <Group gap="xs" role="search" aria-label="Filters">
      <SearchInput label="Who: e-mail address" value={filters.actor ?? ""} maxLength={254} onSearch={(actor) => set({ actor: actor || undefined })} />
      <ActionSelect of="platform" value={filters.action} onChange={(action) => set({ action })} />
      <RemoteSelect kind="tenants" aria-label="Tenant" placeholder="All tenants" search={searchTenants} w={{ base: "100%", sm: 200 }} value={filters.tenant_id} onChange={(tenant_id) => set({ tenant_id })} />
      <SearchInput label="Id of the thing" value={filters.target ?? ""} onSearch={(target) => set({ target: target || undefined })} />
      <SearchInput label="Address" value={filters.address ?? ""} maxLength={50} onSearch={(address) => set({ address: address || undefined })} />
    </Group>
  );
}
