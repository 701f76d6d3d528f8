import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Group, Text, Tooltip } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { api, ask, type Schema } from "@/api/client";
import { hasStatus, messageOf } from "@/api/problem";
import { Usd } from "@/components/values";
import { parseUsd, percent } from "@/format/money";
import { shortCount, showCount } from "@/format/number";

import { logQuery, type LogFilters } from "./filters";

/** Shows operators what upstreams charged for the requests whose cost is known, and what is left of their quota. */
function Earned({
  supplier: { cost, quota, margin, requests: known },
  requests,
}: {
  supplier: Schema<"SupplierSums">;
  requests: number;
}) {
  const share = percent(parseUsd(margin), parseUsd(quota));
  const unknown = plural(Math.max(0, requests - known), {
    one: "# request has no known cost",
    other: "# requests have no known cost",
  });
  return (
    <>
      <Text size="sm" c="dimmed">
        <Trans>
          Suppliers’ cost <Usd amount={cost} short />
        </Trans>
      </Text>
      <Text size="sm" c="dimmed">
        <Trans>
          Margin{" "}
          <Text
            component="span"
            inherit
            c={margin.startsWith("-") ? "var(--tollgate-bad)" : "var(--mantine-color-text)"}
          >
            <Usd amount={margin} short />
          </Text>
        </Trans>
        {share !== undefined && ` (${share})`}
      </Text>
      {requests > known && (
        <Text size="sm" c="dimmed">
          {unknown}
        </Text>
      )}
    </>
  );
}

/** Shows the sums of all requests that match the filters, on all pages: their number, their tokens and their quota. */
export function LogTotals({ filters, live }: { filters: LogFilters; live?: boolean }) {
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["usage-logs", "totals", filters],
    queryFn: () => ask(api.GET("/api/usage-log-totals", { params: { query: logQuery(filters, Date.now()) } })),
    placeholderData: keepPreviousData,
    refetchInterval: live ? 10_000 : false,
    retry: false,
  });
  if (error && !data)
    return (
      <Text size="sm" c="dimmed">
        {hasStatus(error, 400) ? <Trans>Too many requests to add up. Choose a shorter time.</Trans> : messageOf(error)}
      </Text>
    );
  if (!data) return null;
  const {
    requests,
    failed,
    tokens: { total: tokens },
    complete,
  } = data;
  const [failures, shortTokens] = [showCount(failed), shortCount(tokens)];
  const count = plural(requests, { one: "# request", other: "# requests" });
  return (
    <Group gap="xs" role="group" aria-label={t`Totals`} opacity={isPlaceholderData ? 0.55 : undefined}>
      {complete ? (
        <Text size="sm" className="tabular">
          {count}
        </Text>
      ) : (
        <Tooltip
          label={
            <Trans>
              The filters match more requests than are added up at once. These are the sums of the newest ones.
            </Trans>
          }
        >
          <Text size="sm" className="tabular">{t`At least ${count}`}</Text>
        </Tooltip>
      )}
      {failed > 0 && (
        <Text size="sm" c="dimmed" className="tabular">
          <Trans>{failures} failed</Trans>
        </Text>
      )}
      <Text size="sm" c="dimmed" className="tabular" title={showCount(tokens)}>
        {plural(tokens, { one: `${shortTokens} token`, other: `${shortTokens} tokens` })}
      </Text>
      <Text size="sm" fw={500}>
        <Usd amount={data.quota} short />
      </Text>
      {data.supplier && data.supplier.requests > 0 && <Earned supplier={data.supplier} requests={requests} />}
    </Group>
  );
}
