import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, SimpleGrid, Stack, Tabs, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCoins, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { Attribution } from "@/components/attribution/Attribution";
import { DescriptionList } from "@/components/DescriptionList";
import { ButtonLink } from "@/components/links";
import { Page } from "@/components/Page";
import { Stat } from "@/components/Stat";
import { ErrorState, LoadingState } from "@/components/states";
import { Copyable, Moment, Status, Usd } from "@/components/values";
import { spanOf } from "@/components/usage/range";
import { UsageByModel } from "@/components/usage/UsageByModel";
import { useNow } from "@/components/usage/useNow";
import { QuotaBar } from "@/components/quota/QuotaBar";

import { LedgerTable } from "../grants/LedgerTable";
import { MoveQuota } from "../grants/MoveQuota";
import { UserList } from "../users/UserList";
import { ApproveDomains } from "./ApproveDomains";
import { EditTenant } from "./EditTenant";
import { ignoredFieldsLabel, outputCapLabel } from "./tenantForm";

type Tenant = Schema<"Tenant">;

const route = getRouteApi("/signed-in/operator/tenants/$id");
const parent = () => ({ to: "/operator/tenants", label: t`Tenants` }) as const;

/** Shows one tenant with its quota, its users and its ledger. */
export function TenantDetail() {
  const { id } = route.useParams();
  const query = useQuery({
    queryKey: ["tenants", "one", id],
    queryFn: () => ask(api.GET("/api/operator/tenants/{id}", { params: { path: { id } } })),
  });
  if (query.data) return <Shown key={query.data.id} tenant={query.data} />;
  return (
    <Page title={t`Tenant`} parent={parent()}>
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
      parent={parent()}
      aside={<Status value={tenant.status} />}
      actions={
        <>
          <ButtonLink variant="default" to="/operator/audit-log" search={{ tenant_id: tenant.id }}>
            <Trans>Audit log</Trans>
          </ButtonLink>
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={edit.open}>
            <Trans>Edit</Trans>
          </Button>
          <Button leftSection={<IconCoins size={16} />} onClick={move.open}>
            <Trans>Move quota</Trans>
          </Button>
        </>
      }
    >
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Stat label={t`Left`} value={<Usd amount={tenant.quota.left} short />}>
          <QuotaBar quota={tenant.quota} label={tenant.name} size={5} />
        </Stat>
        <Stat label={t`Granted`} value={<Usd amount={tenant.quota.granted} short />} />
        <Stat label={t`Used`} value={<Usd amount={tenant.quota.used} short />} />
        <Stat
          label={t`Reserved`}
          value={<Usd amount={tenant.quota.leased} short />}
          hint={t`Reserved by relays for current and upcoming requests`}
        />
      </SimpleGrid>
      <DescriptionList
        items={[
          [t`Slug`, <Copyable key="slug" value={tenant.slug} label={t`slug`} />],
          [t`ID`, <Copyable key="id" value={tenant.id} label={t`ID`} />],
          [t`Created`, <Moment key="created" at={tenant.created_at} />],
          [t`Budgets`, budgetsText(tenant.caps)],
          [
            t`When the quota runs out during a stream`,
            tenant.quota_mode === "hard" ? t`Hard: the stream ends` : t`Soft: the stream continues`,
          ],
          [
            outputCapLabel(),
            tenant.output_cap === "auto" ? t`Auto: responses are limited` : t`Off: the request is refused`,
          ],
          [
            ignoredFieldsLabel(),
            tenant.ignored_fields === "report" ? t`Ignored, and listed in the response` : t`The request is refused`,
          ],
          [t`Quota in responses`, tenant.include_quota ? t`In all responses` : t`Only if the request asks for it`],
        ]}
      />
      <Tabs
        value={tab}
        onChange={(next) =>
          void navigate({
            to: "/operator/tenants/$id",
            params: { id: tenant.id },
            search: {
              tab:
                next === "usage" || next === "ledger" || next === "sign-on" || next === "attribution"
                  ? next
                  : undefined,
            },
            replace: true,
          })
        }
      >
        <Group justify="space-between" mb="md" gap="xs">
          <Tabs.List>
            <Tabs.Tab value="users">
              <Trans>Users</Trans>
            </Tabs.Tab>
            <Tabs.Tab value="usage">
              <Trans>Usage</Trans>
            </Tabs.Tab>
            <Tabs.Tab value="ledger">
              <Trans>Ledger</Trans>
            </Tabs.Tab>
            <Tabs.Tab value="sign-on">
              <Trans>Single sign-on</Trans>
            </Tabs.Tab>
            <Tabs.Tab value="attribution">
              <Trans>End users and tags</Trans>
            </Tabs.Tab>
          </Tabs.List>
          <Group gap="xs">
            <Button component={Link} to={`/tokens?tenant=${tenant.id}`} variant="subtle" size="xs">
              <Trans>Tokens</Trans>
            </Button>
            <Button component={Link} to={`/usage-logs?tenant=${tenant.id}`} variant="subtle" size="xs">
              <Trans>Usage logs</Trans>
            </Button>
          </Group>
        </Group>
        <Tabs.Panel value="users">
          <UserList tenant={tenant} />
        </Tabs.Panel>
        <Tabs.Panel value="usage" keepMounted={false}>
          <Stack>
            <UsageByModel tenant={tenant.id} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="ledger">
          <LedgerTable tenantId={tenant.id} />
        </Tabs.Panel>
        <Tabs.Panel value="sign-on" keepMounted={false}>
          <ApproveDomains tenantId={tenant.id} />
        </Tabs.Panel>
        <Tabs.Panel value="attribution" keepMounted={false}>
          <RecentAttribution tenant={tenant.id} />
        </Tabs.Panel>
      </Tabs>
      <MoveQuota opened={moving} close={move.close} tenantId={tenant.id} />
      <EditTenant opened={editing} close={edit.close} tenant={tenant} />
    </Page>
  );
}

/** Shows a tenant's usage of the last 30 days by end user or tag. */
function RecentAttribution({ tenant }: { tenant: string }) {
  const [name, setName] = useState<string>();
  const { from, to } = spanOf("30d", useNow());
  return (
    <Attribution
      from={from}
      to={to}
      name={name}
      onName={setName}
      tenant={tenant}
      empty={
        <Text c="dimmed">
          <Trans>No requests of the last 30 days have an end user or a tag.</Trans>
        </Text>
      }
    />
  );
}

function budgetsText({ day, week, month }: Tenant["caps"]) {
  if (day === null && week === null && month === null) return t`None`;
  return (
    <Group component="span" gap="xs">
      {day !== null && (
        <span>
          <Trans>
            <Usd amount={day} /> per day
          </Trans>
        </span>
      )}
      {week !== null && (
        <span>
          <Trans>
            <Usd amount={week} /> per week
          </Trans>
        </span>
      )}
      {month !== null && (
        <span>
          <Trans>
            <Usd amount={month} /> per month
          </Trans>
        </span>
      )}
    </Group>
  );
}
