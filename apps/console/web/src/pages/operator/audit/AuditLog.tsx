import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";

import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { knownTenantName, searchTenants } from "@/api/names";
import { entryColumns } from "@/components/audit/columns";
import { EntryDrawer } from "@/components/audit/EntryDrawer";
import { ExportButton } from "@/components/audit/ExportButton";
import { FilterBar } from "@/components/audit/FilterBar";
import { auditQuery, auditSorts, isFiltered } from "@/components/audit/filters";
import { NoEntries } from "@/components/audit/NoEntries";
import type { Entry } from "@/components/audit/subject";
import { DataTable, type Column } from "@/components/DataTable";
import { TenantName } from "@/components/names";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { RemoteSelect } from "@/components/RemoteSelect";
import { useListOrder } from "@/components/table/useListOrder";
import { usePages } from "@/components/usePages";

import type { PlatformFilters } from "./filters";

const tenantColumn = (): Column<Entry> => ({
  id: "tenant",
  header: t`Tenant`,
  width: 150,
  value: (entry) => (entry.tenant_id ? knownTenantName(entry.tenant_id) : t`Platform`),
  cell: (entry) =>
    entry.tenant_id ? (
      <TenantName id={entry.tenant_id} />
    ) : (
      <span className="dimmed">
        <Trans>Platform</Trans>
      </span>
    ),
});

const route = getRouteApi("/signed-in/operator/audit-log");

/** Shows all changes and events on the platform with their actors. */
export function AuditLog() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const show = (search: PlatformFilters) => void navigate({ to: "/operator/audit-log", search, replace: true });
  const set = (change: PlatformFilters) => show({ ...filters, ...change });
  const [shown, setShown] = useState<Entry>();
  const { order, query } = useListOrder({ columns: auditSorts, search: filters, set });
  const pages = usePages(["audit-log", filters], (after) =>
    ask(
      api.GET("/api/operator/audit-log", {
        params: { query: { ...auditQuery(filters, Date.now()), ...query, after } },
      }),
    ),
  );
  const load = () =>
    ask<Blob>(
      api.GET("/api/operator/audit-log/file", { params: { query: auditQuery(filters, Date.now()) }, parseAs: "blob" }),
    );
  return (
    <Page
      wide
      title={t`Audit log`}
      description={t`Every change by a person or a program, sign-ins, refused attempts and reads of tenants' data, newest first. Secrets are never recorded.`}
      actions={<ExportButton load={load} />}
    >
      <FilterBar filters={filters} set={set} clear={() => show({})}>
        <RemoteSelect
          kind="tenants"
          aria-label={t`Tenant`}
          placeholder={t`All tenants`}
          search={searchTenants}
          w={{ base: "100%", xs: 200 }}
          value={filters.tenant_id}
          onChange={(tenant_id) => set({ tenant_id })}
        />
      </FilterBar>
      <DataTable
        table="operator-audit-log"
        caption={t`Audit log`}
        whole={pages.whole}
        order={order}
        columns={entryColumns(setShown, [tenantColumn()])}
        rows={pages.rows}
        rowKey={(entry) => entry.id}
        onRowClick={setShown}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={<NoEntries filtered={isFiltered(filters)} older={pages.older} />}
        footer={<Pager pages={pages} />}
      />
      <EntryDrawer
        entry={shown}
        close={() => setShown(undefined)}
        only={show}
        tenant={shown?.tenant_id ? <TenantName id={shown.tenant_id} /> : t`Platform`}
      />
    </Page>
  );
}
