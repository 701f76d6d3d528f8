import { Button, Group, SimpleGrid, Tabs } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCoins, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { DescriptionList } from "@/components/DescriptionList";
import { Page } from "@/components/Page";
import { Stat } from "@/components/Stat";
import { ErrorState, LoadingState } from "@/components/states";
import { Copyable, Moment, Status, Usd } from "@/components/values";
import { QuotaBar } from "@/components/quota/QuotaBar";

import { LedgerTable } from "../grants/LedgerTable";
import { MoveQuota } from "../grants/MoveQuota";
import { UserList } from "../users/UserList";
import { ApproveDomains } from "./ApproveDomains";
import { EditTenant } from "./EditTenant";

type Tenant = Schema<"Tenant">;

const route = getRouteApi("/signed-in/operator/tenants/$id");
const parent = { to: "/operator/tenants", label: "Tenants" };

/** Shows one tenant with its quota, its users and its ledger. */
export function TenantDetail() {
  const { id } = route.useParams();
  const query = useQuery({ queryKey: ["tenants", "one", id], queryFn: () => ask(api.GET("/api/operator/tenants/{id}", { params: { path: { id } } })) });
  if (query.data) return <Shown tenant={query.data} />;
  return (
    <Page title="Tenant" parent={parent}>
      {query.error ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <LoadingState />}
    </Page>
  );
}

function Shown({ tenant }: { tenant: Tenant }) {
  const { tab = "users" } = route.useSearch();
  const navigate = useNavigate();
  const [moving, move] = useDisclosure();
  const [editing, edit] = useDisclosure();
  return (
    <Page
      title={tenant.name}
      parent={parent}
      aside={<Status value={tenant.status} />}
      actions={
        <>
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={edit.open}>
            Edit
          </Button>
          <Button leftSection={<IconCoins size={16} />} onClick={move.open}>
            Move quota
          </Button>
        </>
      }
    >
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Stat label="Left" value={<Usd amount={tenant.quota.left} short />}>
          <QuotaBar quota={tenant.quota} label={tenant.name} size={5} />
        </Stat>
        <Stat label="Granted in all" value={<Usd amount={tenant.quota.granted} short />} />
        <Stat label="Used" value={<Usd amount={tenant.quota.used} short />} />
        <Stat label="Held by relays" value={<Usd amount={tenant.quota.leased} short />} hint="For calls in flight and those to come" />
      </SimpleGrid>
      <DescriptionList
        items={[
          ["Slug", <Copyable key="slug" value={tenant.slug} label="slug" />],
          ["Id", <Copyable key="id" value={tenant.id} label="id" />],
          ["Created", <Moment key="created" at={tenant.created_at} />],
          ["Caps", capsText(tenant.caps)],
          ["Quota ends in mid-stream", tenant.quota_mode === "hard" ? "Hard: the stream ends" : "Soft: the stream runs on"],
          ["Longest answer costs more than is left", tenant.output_cap === "auto" ? "Auto: answers are limited" : "Off: the call is refused"],
        ]}
      />
      <Tabs value={tab} onChange={(next) => void navigate({ to: "/operator/tenants/$id", params: { id: tenant.id }, search: { tab: next === "ledger" || next === "sign-on" ? next : undefined }, replace: true })}>
        <Group justify="space-between" mb="md" gap="xs">
          <Tabs.List>
            <Tabs.Tab value="users">Users</Tabs.Tab>
            <Tabs.Tab value="ledger">Ledger</Tabs.Tab>
            <Tabs.Tab value="sign-on">Single sign-on</Tabs.Tab>
          </Tabs.List>
          <Group gap="xs">
            <Button component={Link} to={`/tokens?tenant=${tenant.id}`} variant="subtle" size="xs">
              Tokens
            </Button>
            <Button component={Link} to={`/usage-logs?tenant=${tenant.id}`} variant="subtle" size="xs">
              Usage logs
            </Button>
          </Group>
        </Group>
        <Tabs.Panel value="users">
          <UserList tenant={tenant} />
        </Tabs.Panel>
        <Tabs.Panel value="ledger">
          <LedgerTable tenantId={tenant.id} />
        </Tabs.Panel>
        <Tabs.Panel value="sign-on" keepMounted={false}>
          <ApproveDomains tenantId={tenant.id} />
        </Tabs.Panel>
      </Tabs>
      <MoveQuota opened={moving} close={move.close} tenantId={tenant.id} />
      <EditTenant opened={editing} close={edit.close} tenant={tenant} />
    </Page>
  );
}

function capsText({ day, week, month }: Tenant["caps"]) {
  const set = (["day", "week", "month"] as const).filter((period) => ({ day, week, month })[period] !== null);
  if (set.length === 0) return "None";
  return set.map((period) => <span key={period}><Usd amount={{ day, week, month }[period]} /> a {period} </span>);
}
