import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
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
      title={t`Grants`}
      description={t`The platform's ledger: quota that was granted to tenants, taken back, or moved between them. Entries never change.`}
      actions={
        <Button leftSection={<IconCoins size={16} />} onClick={move.open}>
          <Trans>Move quota</Trans>
        </Button>
      }
    >
      <RemoteSelect
        kind="tenants"
        search={searchTenants}
        aria-label={t`Tenant`}
        placeholder={t`All tenants`}
        w={{ base: "100%", sm: 280 }}
        value={tenantId}
        onChange={(id) => void navigate({ to: "/operator/grants", search: { tenant_id: id }, replace: true })}
      />
      <LedgerTable tenantId={tenantId} />
      <MoveQuota opened={moving} close={move.close} />
    </Page>
  );
}
