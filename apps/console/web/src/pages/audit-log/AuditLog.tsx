import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconHistory } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { isAdmin, useIdentity } from "@/api/session";
import { entryColumns } from "@/components/audit/columns";
import { EntryDrawer } from "@/components/audit/EntryDrawer";
import { ExportButton } from "@/components/audit/ExportButton";
import { FilterBar } from "@/components/audit/FilterBar";
import { type AuditFilters, auditQuery, auditSorts, isFiltered } from "@/components/audit/filters";
import { NoEntries } from "@/components/audit/NoEntries";
import type { Entry } from "@/components/audit/subject";
import { DataTable } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { EmptyState } from "@/components/states";
import { useListOrder } from "@/components/table/useListOrder";
import { usePages } from "@/components/usePages";

const route = getRouteApi("/signed-in/audit-log");

/** Shows the audit log of the tenant to its admins and owners. */
export function AuditLog() {
  const identity = useIdentity();
  if (!isAdmin(identity)) {
    return (
      <Page title={t`Audit log`}>
        <EmptyState icon={IconHistory} title={t`Only admins and owners can see the audit log`}>
          <Trans>Ask an admin of your organization.</Trans>
        </EmptyState>
      </Page>
    );
  }
  return <Log />;
}

function Log() {
  const filters = route.useSearch();
  const navigate = useNavigate({ from: "/audit-log" });
  const show = (search: AuditFilters) => void navigate({ search, replace: true });
  const load = () =>
    ask<Blob>(api.GET("/api/audit-log/file", { params: { query: auditQuery(filters, Date.now()) }, parseAs: "blob" }));
  return (
    <Page
      wide
      title={t`Audit log`}
      description={t`Every change in your organization, sign-ins, refused attempts and what operators viewed, newest first.`}
      actions={<ExportButton load={load} />}
    >
      <FilterBar filters={filters} set={(change) => show({ ...filters, ...change })} clear={() => show({})} />
      <Entries filters={filters} show={show} />
    </Page>
  );
}

function Entries({ filters, show }: { filters: AuditFilters; show: (filters: AuditFilters) => void }) {
  const [shown, setShown] = useState<Entry>();
  const { order, query } = useListOrder({
    columns: auditSorts,
    search: filters,
    set: (change) => show({ ...filters, ...change }),
  });
  const pages = usePages(["tenant-audit-log", filters], (after) =>
    ask(
      api.GET("/api/audit-log", {
        params: { query: { ...auditQuery(filters, Date.now()), ...query, after, limit: 50 } },
      }),
    ),
  );
  return (
    <>
      <DataTable
        table="audit-log"
        caption={t`Audit log`}
        whole={pages.whole}
        order={order}
        columns={entryColumns(setShown)}
        rows={pages.rows}
        rowKey={(entry) => entry.id}
        onRowClick={setShown}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={<NoEntries filtered={isFiltered(filters)} older={pages.older} />}
        footer={<Pager pages={pages} />}
      />
      <EntryDrawer entry={shown} close={() => setShown(undefined)} only={show} />
    </>
  );
}
