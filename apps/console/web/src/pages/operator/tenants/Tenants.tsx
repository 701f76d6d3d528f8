import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBuilding, IconPlus } from "@tabler/icons-react";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Pager } from "@/components/Pager";
import { QuotaUse } from "@/components/quota/QuotaUse";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { usePages } from "@/components/usePages";
import { Moment, Status, Usd } from "@/components/values";

import { CreateTenant } from "./CreateTenant";

type Tenant = Schema<"Tenant">;

const columns: Column<Tenant>[] = [
  {
    header: "Tenant",
    cell: (tenant) => (
      <Stack gap={0}>
        <Anchor component={Link} to={`/operator/tenants/${tenant.id}`} fw={500} c="inherit">
          {tenant.name}
        </Anchor>
        <Text size="xs" c="dimmed" className="mono">
          {tenant.slug}
        </Text>
      </Stack>
    ),
  },
  { header: "Status", width: 120, cell: (tenant) => <Status value={tenant.status} /> },
  { header: "Quota", width: 240, cell: (tenant) => <QuotaUse quota={tenant.quota} label={tenant.name} /> },
  { header: "Used", align: "right", width: 120, cell: (tenant) => <Usd amount={tenant.quota.used} short />, secondary: true },
  { header: "Held by relays", align: "right", width: 130, cell: (tenant) => <Usd amount={tenant.quota.leased} short />, secondary: true },
  { header: "Created", align: "right", width: 140, cell: (tenant) => <Moment at={tenant.created_at} />, secondary: true },
];

const route = getRouteApi("/signed-in/operator/tenants");

/** Lists all tenants of the platform. */
export function Tenants() {
  const { search = "" } = route.useSearch();
  const navigate = useNavigate();
  const [creating, create] = useDisclosure();
  const pages = usePages(["tenants", search], (after) => ask(api.GET("/api/operator/tenants", { params: { query: { after, search: search || undefined } } })));
  return (
    <Page
      title="Tenants"
      description="The organisations that use this platform, with what they were granted and what is left of it."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={create.open}>
          Create tenant
        </Button>
      }
    >
      <SearchInput label="Search by name or slug" value={search} onSearch={(text) => void navigate({ to: "/operator/tenants", search: { search: text || undefined }, replace: true })} />
      <DataTable
        caption="Tenants"
        columns={columns}
        rows={pages.rows}
        rowKey={(tenant) => tenant.id}
        onRowClick={(tenant) => void navigate({ to: "/operator/tenants/$id", params: { id: tenant.id } })}
        faded={(tenant) => tenant.status === "disabled"}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={<EmptyState icon={IconBuilding} title={search ? "No tenant has this in its name" : "No tenants yet"}>{search ? undefined : "Create one, then invite its owner."}</EmptyState>}
        footer={<Pager pages={pages} />}
      />
      <CreateTenant opened={creating} close={create.close} />
    </Page>
  );
}
