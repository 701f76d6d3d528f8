import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, SimpleGrid } from "@mantine/core";
import { IconReceipt2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { api, ask } from "@/api/client";
import { isAdmin, isOperator, useIdentity } from "@/api/session";
import { Page } from "@/components/Page";
import { EmptyState } from "@/components/states";

import { Ledger } from "./Ledger";
import { Limits } from "./Limits";
import { Outlook } from "./Outlook";
import { QuotaCard } from "./QuotaCard";

/** Shows the quota of tenant and user with a forecast, the budgets and the ledger. */
export function Quota() {
  const identity = useIdentity();
  const admin = isAdmin(identity);
  const navigate = useNavigate();
  const title = admin ? t`Quota & ledger` : t`Quota`;
  const query = useQuery({
    queryKey: ["quota"],
    queryFn: () => ask(api.GET("/api/quota")),
    enabled: !isOperator(identity),
    refetchInterval: 15_000,
  });
  if (isOperator(identity)) {
    return (
      <Page title={t`Quota`}>
        <EmptyState title={t`Operators have no quota`}>
          <Trans>The page of a tenant shows what the tenant was granted and what is left.</Trans>
        </EmptyState>
      </Page>
    );
  }
  const quota = query.data;
  const name = identity.tenant?.name;
  return (
    <Page
      title={title}
      description={
        admin ? t`What is left to spend, the budgets, and all grants.` : t`What is left to spend, and the budgets.`
      }
      actions={
        admin && (
          <Button
            variant="default"
            leftSection={<IconReceipt2 size={16} />}
            onClick={() => void navigate({ to: "/quota/statement" })}
          >
            <Trans>Monthly statement</Trans>
          </Button>
        )
      }
    >
      {!query.error || quota ? (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <QuotaCard
            title={name === undefined ? t`Quota of your tenant` : t`Quota of ${name}`}
            quota={quota?.wallet}
            forecast={quota?.wallet_forecast}
            hint={t`All requests of your organization are deducted from it.`}
          />
          <QuotaCard
            title={t`Your own quota`}
            quota={quota?.cap}
            forecast={quota?.cap_forecast}
            hint={t`The total amount that your tokens can spend.`}
          />
        </SimpleGrid>
      ) : null}
      <Outlook quota={quota?.wallet} forecast={quota?.wallet_forecast} />
      <Limits limits={quota?.limits} error={query.error} retry={() => void query.refetch()} />
      {admin && <Ledger />}
    </Page>
  );
}
