import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Divider, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { ErrorState } from "@/components/states";
import { rateLimitFields } from "@/components/limits/limits";
import { QuotaUse } from "@/components/quota/QuotaUse";
import { Moment } from "@/components/values";
import { showCount } from "@/format/number";

type Limit = Schema<"Limit">;

const owners: Record<Limit["kind"], MessageDescriptor> = {
  tenant: msg`Tenant`,
  user: msg`Owner`,
  token: msg`This token`,
};
const periods: Record<Limit["period"], MessageDescriptor> = {
  lifetime: msg`total`,
  day: msg`today`,
  week: msg`this week`,
  month: msg`this month`,
};

/** Lists all limits on the calls of a token: its own, and those of its owner and tenant. */
export function TokenLimits({ token }: { token: Schema<"Token"> }) {
  const query = useQuery({
    queryKey: ["tokens", "limits", token.id, token.user_id],
    queryFn: () => ask(api.GET("/api/quota", { params: { query: { token_id: token.id } } })),
  });
  const limits = query.data?.limits.filter(
    (limit) => limit.granted !== null || (limit.kind === "token" && limit.period === "lifetime"),
  );
  return (
    <Card>
      <Title order={2} mb="sm">
        <Trans>Limits</Trans>
      </Title>
      {query.error && !limits ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Stack gap="sm">
          {!limits && <Skeleton h={80} />}
          {limits?.map((limit) => (
            <LimitLine key={limit.kind + limit.period} limit={limit} />
          ))}
          <Divider />
          <Rates limits={token.limits} />
        </Stack>
      )}
    </Card>
  );
}

function LimitLine({ limit }: { limit: Limit }) {
  const owner = i18n._(owners[limit.kind]);
  const period = i18n._(periods[limit.period]);
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap" gap="md">
      <div>
        <Text>
          {owner} <span className="dimmed">{period}</span>
        </Text>
        {limit.resets_at && (
          <Text size="xs" c="dimmed">
            <Trans>
              Resets <Moment at={limit.resets_at} />
            </Trans>
          </Text>
        )}
      </div>
      <QuotaUse
        quota={limit}
        label={t({ message: `${owner}: ${period}`, comment: "A limit, such as: Tenant: this month" })}
      />
    </Group>
  );
}

function Rates({ limits }: { limits: Schema<"Limits"> }) {
  return rateLimitFields.map(({ name, label }) => (
    <Group key={name} justify="space-between">
      <Text>{label}</Text>
      <Text c={limits[name] === 0 ? "dimmed" : undefined} className="tabular">
        {limits[name] === 0 ? t`Unlimited` : showCount(limits[name])}
      </Text>
    </Group>
  ));
}
