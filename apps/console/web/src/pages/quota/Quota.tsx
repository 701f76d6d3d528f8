import { SimpleGrid } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { isAdmin, isOperator, useIdentity } from "@/api/session";
import { Page } from "@/components/Page";
import { EmptyState } from "@/components/states";

import { Ledger } from "./Ledger";
import { Limits } from "./Limits";
import { QuotaCard } from "./QuotaCard";

/** Shows the quota of tenant and user, the limits and the ledger. */
export function Quota() {
  const identity = useIdentity();
  const admin = isAdmin(identity);
  const title = admin ? "Quota & ledger" : "Quota";
  const query = useQuery({ queryKey: ["quota"], queryFn: () => ask(api.GET("/api/quota")), enabled: !isOperator(identity), refetchInterval: 15_000 });
  if (isOperator(identity)) {
    return (
      <Page title="Quota">
        <EmptyState title="Operators have no quota">What a tenant was granted, and what is left of it, stands on the tenant's page.</EmptyState>
      </Page>
    );
  }
  const quota = query.data;
  return (
    <Page title={title} description="What is left to spend, what limits it, and where it came from.">
      {!query.error || quota ? (
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <QuotaCard title={`Wallet of ${identity.tenant?.name ?? "your tenant"}`} quota={quota?.wallet} forecast={quota?.wallet_forecast} hint="Every call of your organisation is paid from it." />
          <QuotaCard title="Your own cap" quota={quota?.cap} forecast={quota?.cap_forecast} hint="The most that your tokens may spend of the wallet, all together." />
        </SimpleGrid>
      ) : null}
      <Limits limits={quota?.limits} error={query.error} retry={() => void query.refetch()} />
      {admin && <Ledger />}
    </Page>
  );
}
