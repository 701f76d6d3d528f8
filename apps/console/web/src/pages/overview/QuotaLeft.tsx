import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { Schema } from "@/api/client";
import { useIdentity } from "@/api/session";
import { AnchorLink } from "@/components/links";
import { QuotaBar } from "@/components/quota/QuotaBar";
import { ErrorState } from "@/components/states";
import { Usd } from "@/components/values";

import { runsOut } from "./runsOut";
import { quotaQuery } from "./view";

/** Shows what is left of the tenant's quota and of the user's own quota, if there is one, and when each runs out. */
export function QuotaLeft() {
  const identity = useIdentity();
  const query = useQuery({ ...quotaQuery, refetchInterval: 30_000 });
  const quota = query.data;
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <Title order={2}>
          <Trans>Quota left</Trans>
        </Title>
        <AnchorLink to="/quota" size="sm">
          {identity.user.role === "member" ? t`Details` : t`Quota & ledger`}
        </AnchorLink>
      </Group>
      {query.error && !quota ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Stack gap="lg">
          {!quota && <Skeleton h={84} />}
          {quota?.wallet && (
            <Left name={identity.tenant?.name ?? t`Tenant`} quota={quota.wallet} forecast={quota.wallet_forecast} />
          )}
          {quota && quota.cap.granted !== null && (
            <Left name={t`Your own quota`} quota={quota.cap} forecast={quota.cap_forecast} />
          )}
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
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz="1.5rem" fw={600} lh={1.2} className="tabular" style={{ letterSpacing: "-0.02em" }}>
        <Usd amount={quota.left} short />
      </Text>
      {quota.granted !== null && (
        <>
          <QuotaBar quota={quota} label={name} size={6} />
          <Text size="sm" c="dimmed">
            <Trans>
              <Usd amount={quota.used} short /> of <Usd amount={quota.granted} short /> used
            </Trans>
          </Text>
        </>
      )}
      {forecast && <Text size="sm">{runsOut(forecast, Date.now())}</Text>}
    </Stack>
  );
}
