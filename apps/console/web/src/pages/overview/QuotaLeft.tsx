import { Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { useIdentity } from "@/api/session";
import { AnchorLink } from "@/components/links";
import { QuotaBar } from "@/components/quota/QuotaBar";
import { ErrorState } from "@/components/states";
import { Usd } from "@/components/values";

import { runsOut } from "./runsOut";

/** Shows what is left of the tenant's wallet and of the user's own quota, if there is one, and when each runs out. */
export function QuotaLeft() {
  const identity = useIdentity();
  const query = useQuery({ queryKey: ["quota"], queryFn: () => ask(api.GET("/api/quota")), refetchInterval: 30_000 });
  const quota = query.data;
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <Title order={2}>Quota left</Title>
        <AnchorLink to="/quota" size="sm">{identity.user.role === "member" ? "Details" : "Quota & ledger"}</AnchorLink>
      </Group>
      {query.error && !quota ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Stack gap="lg">
          {!quota && <Skeleton h={84} />}
          {quota?.wallet && <Left name={identity.tenant?.name ?? "Tenant"} quota={quota.wallet} forecast={quota.wallet_forecast} />}
          {quota && quota.cap.granted !== null && <Left name="Your own cap" quota={quota.cap} forecast={quota.cap_forecast} />}
        </Stack>
      )}
    </Card>
  );
}

interface LeftProps {
  name: string;
  quota: Schema<"Quota">;
  forecast: Schema<"Forecast"> | undefined;
}

function Left({ name, quota, forecast }: LeftProps) {
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">{name}</Text>
      <Text fz="1.5rem" fw={600} lh={1.2} className="tabular" style={{ letterSpacing: "-0.02em" }}>
        <Usd amount={quota.left} short />
      </Text>
      {quota.granted !== null && (
        <>
          <QuotaBar quota={quota} label={name} size={6} />
          <Text size="sm" c="dimmed"><Usd amount={quota.used} short /> of <Usd amount={quota.granted} short /> used</Text>
        </>
      )}
      {forecast && <Text size="sm">{runsOut(forecast, Date.now())}</Text>}
    </Stack>
  );
}
