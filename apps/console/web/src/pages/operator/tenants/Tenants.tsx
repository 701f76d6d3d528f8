import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
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
import { useListOrder } from "@/components/table/useListOrder";
import { usePages } from "@/components/usePages";
import { Moment, Status, Usd } from "@/components/values";
import { parseUsd } from "@/format/money";

import { CreateTenant } from "./CreateTenant";
import { type TenantSearch, tenantSorts } from "./search";

type Tenant = Schema<"Tenant">;

const columns = (): Column<Tenant>[] => [
  {
    id: "tenant",
    header: t`Tenant`,
    value: (tenant) => tenant.name,
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
  {
    id: "status",
    header: t`Status`,
    width: 120,
    value: (tenant) => tenant.status,
    cell: (tenant) => <Status value={tenant.status} />,
  },
  {
    id: "quota",
    header: t`Quota`,
    width: 240,
    value: (tenant) => tenant.quota.left,
    sortBy: (tenant) => (tenant.quota.left === null ? undefined : parseUsd(tenant.quota.left)),
    cell: (tenant) => <QuotaUse quota={tenant.quota} label={tenant.name} />,
  },
  {
    id: "used",
    header: t`Used`,
    align: "right",
    width: 120,
    value: (tenant) => tenant.quota.used,
    sortBy: (tenant) => parseUsd(tenant.quota.used),
    cell: (tenant) => <Usd amount={tenant.quota.used} short />,
    secondary: true,
  },
  {
    id: "reserved",
    header: t`Reserved`,
    align: "right",
    width: 130,
    value: (tenant) => tenant.quota.leased,
    sortBy: (tenant) => parseUsd(tenant.quota.leased),
    cell: (tenant) => <Usd amount={tenant.quota.leased} short />,
    secondary: true,
  },
  {
    id: "created",
    header: t`Created`,
    align: "right",
    width: 140,
    value: (tenant) => tenant.created_at,
    cell: (tenant) => <Moment at={tenant.created_at} />,
    secondary: true,
  },
];

const route = getRouteApi("/signed-in/operator/tenants");

/** Lists all tenants of the platform. */
export function Tenants() {
  const asked = route.useSearch();
  const { search = "" } = asked;
  const navigate = useNavigate();
  const set = (change: Partial<TenantSearch>) =>
    void navigate({ to: "/operator/tenants", search: { ...asked, ...change }, replace: true });
  const [creating, create] = useDisclosure();
  const { order, query } = useListOrder({ columns: tenantSorts, search: asked, set, table: "tenants" });
  const pages = usePages(["tenants", search, query], (after) =>
    ask(
      api.GET("/api/operator/tenants", {
        params: { query: { ...query, limit: 100, after, search: search || undefined } },
      }),
    ),
  );
  return (
    <Page
      wide
      title={t`Tenants`}
      description={t`The organizations that use this platform, with their quotas.`}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={create.open}>
          <Trans>Create tenant</Trans>
        </Button>
      }
    >
      <SearchInput
        label={t`Search by name or slug`}
        value={search}
        onSearch={(text) => set({ search: text || undefined })}
      />
      <DataTable
        table="tenants"
        caption={t`Tenants`}
        whole={pages.whole}
        order={order}
        columns={columns()}
        rows={pages.rows}
        rowKey={(tenant) => tenant.id}
        onRowClick={(tenant) => void navigate({ to: "/operator/tenants/$id", params: { id: tenant.id } })}
        faded={(tenant) => tenant.status === "disabled"}
        error={pages.error}
        retry={pages.retry}
        stale={pages.stale}
        empty={
          <EmptyState icon={IconBuilding} title={search ? t`No tenants match your search` : t`No tenants yet`}>
            {search ? undefined : t`Create a tenant, then invite its owner.`}
          </EmptyState>
        }
        footer={<Pager pages={pages} />}
      />
      <CreateTenant opened={creating} close={create.close} />
    </Page>
  );
}
