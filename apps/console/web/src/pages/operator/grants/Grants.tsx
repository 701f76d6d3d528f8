import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCoins } from "@tabler/icons-react";
import { getRouteApi, useNavigate } from "@tanstack/react-router";

import { searchTenants } from "@/api/names";
import { Page } from "@/components/Page";
import { RemoteSelect } from "@/components/RemoteSelect";

import { LedgerTable } from "./LedgerTable";
import { MoveQuota } from "./MoveQuota";

const route = getRouteApi("/signed-in/operator/grants");

/** Shows all changes of granted quota on the platform. */
export function Grants() {
  const { tenant_id: tenantId } = route.useSearch();
  const navigate = useNavigate();
  const [moving, move] = useDisclosure();
  return (
    <Page
      title="Grants"
      description="The ledger of the platform: what tenants were granted, what was taken back, and what moved between them. Entries are never changed."
      actions={
        <Button leftSection={<IconCoins size={16} />} onClick={move.open}>
          Move quota
        </Button>
      }
    >
      <RemoteSelect
        kind="tenants"
        search={searchTenants}
        aria-label="Tenant"
        placeholder="All tenants"
        w={{ base: "100%", sm: 280 }}
        value={tenantId}
        onChange={(id) => void navigate({ to: "/operator/grants", search: { tenant_id: id }, replace: true })}
      />
      <LedgerTable tenantId={tenantId} />
      <MoveQuota opened={moving} close={move.close} />
    </Page>
  );
}
