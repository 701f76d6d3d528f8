import { Anchor, Drawer, Group, Select, Stack, Text } from "@mantine/core";
import { IconHistory } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { searchTenants } from "@/api/names";
import { CodeBlock } from "@/components/CodeBlock";
import { DataTable, type Column } from "@/components/DataTable";
import { DescriptionList } from "@/components/DescriptionList";
import { TenantName } from "@/components/names";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { RemoteSelect } from "@/components/RemoteSelect";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Copyable, Moment } from "@/components/values";

import { auditKinds, type AuditFilters } from "./filters";

type Entry = Schema<"AuditEntry">;

const columnsFor = (open: (entry: Entry) => void): Column<Entry>[] => [
  { header: "Time", width: 150, cell: (entry) => <Moment at={entry.created_at} clock /> },
  {
    header: "Action",
    width: 210,
    cell: (entry) => (
      <Anchor component="button" type="button" c="inherit" className="mono" ta="left" onClick={() => open(entry)}>
        {entry.action}
      </Anchor>
    ),
  },
  { header: "By", width: 220, cell: (entry) => entry.actor },
  { header: "Tenant", width: 150, cell: (entry) => (entry.tenant_id ? <TenantName id={entry.tenant_id} /> : <Text component="span" c="dimmed" inherit>Platform</Text>) },
  {
    header: "Changed",
    cell: (entry) => (
      <Text size="sm" c="dimmed" lineClamp={1}>
        {Object.keys(entry.detail).join(", ")}
      </Text>
    ),
    secondary: true,
  },
];

const route = getRouteApi("/signed-in/operator/audit-log");

/** Shows all changes on the platform with their actors. */
export function AuditLog() {
  const filters = route.useSearch();
  const [shown, setShown] = useState<Entry>();
  const pages = usePages(["audit-log", filters], (after) => ask(api.GET("/api/operator/audit-log", { params: { query: { ...filters, after } } })));
  const filtered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page title="Audit log" description="Every change that a person or a program made, newest first. Secrets never stand here.">
      <Filters filters={filters} />
      <DataTable
        caption="Audit log"
        columns={columnsFor(setShown)}
        rows={pages.rows}
        rowKey={(entry) => entry.id}
        onRowClick={setShown}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={<EmptyState icon={IconHistory} title={filtered ? "No change fits these filters" : "Nothing was changed yet"} />}
        footer={<Pager pages={pages} />}
      />
      <Drawer opened={shown !== undefined} onClose={() => setShown(undefined)} title={shown?.action} size="md">
        {shown && <EntryDetail entry={shown} />}
      </Drawer>
    </Page>
  );
}

function Filters({ filters }: { filters: AuditFilters }) {
  const navigate = useNavigate();
  const set = (change: AuditFilters) => void navigate({ to: "/operator/audit-log", search: { ...filters, ...change }, replace: true });
  return (
    <Group gap="xs" role="search" aria-label="Filters">
      <SearchInput label="Who: e-mail address" value={filters.actor ?? ""} maxLength={254} onSearch={(actor) => set({ actor: actor || undefined })} />
      <Select aria-label="Kind of thing" placeholder="All things" searchable clearable w={{ base: "100%", sm: 190 }} data={auditKinds} value={filters.action?.split(".")[0] ?? null} onChange={(action) => set({ action: action ?? undefined })} />
      <RemoteSelect kind="tenants" aria-label="Tenant" placeholder="All tenants" search={searchTenants} w={{ base: "100%", sm: 200 }} value={filters.tenant_id} onChange={(tenant_id) => set({ tenant_id })} />
      <SearchInput label="Id of the thing" value={filters.target ?? ""} onSearch={(target) => set({ target: target || undefined })} />
    </Group>
  );
}

function EntryDetail({ entry }: { entry: Entry }) {
  return (
    <Stack>
      <DescriptionList
        items={[
          ["Time", <Moment key="time" at={entry.created_at} clock />],
          ["By", entry.actor],
          ["Tenant", entry.tenant_id ? <TenantName key="tenant" id={entry.tenant_id} /> : "Platform"],
          ["Target", entry.target && <Copyable key="target" value={entry.target} label="target" />],
          ["Entry", <Copyable key="id" value={entry.id} label="id" />],
        ]}
      />
      <CodeBlock code={JSON.stringify(entry.detail, null, 2)} label="changed fields" wrap />
    </Stack>
  );
}
