import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Card, Group, Select, Skeleton, Table, Text, Title } from "@mantine/core";

import type { Schema } from "@/api/client";
import { AnchorLink } from "@/components/links";
import { ErrorState } from "@/components/states";
import { measureNames } from "@/components/usage/series";
import { ShareBar } from "@/components/usage/ShareBar";
import top from "@/components/usage/top.module.css";
import { Usd } from "@/components/values";
import { parseUsd, share } from "@/format/money";
import { shortCount } from "@/format/number";

import { attributionChoices, attributionFilter, attributionRows, endUsers } from "./attribution";
import { useAttribution } from "./useAttribution";

export interface AttributionProps {
  from: string;
  to: string;
  /** The name of the tag, or endUsers; undefined: the first one with usage. */
  name: string | undefined;
  onName: (name: string) => void;
  /** For operators: the tenant whose usage is shown. */
  tenant?: string;
}

/** Lists the end users, or the values of a tag, with the most spend. `users` is the usage by end user. */
export function AttributionCard({
  users,
  from,
  to,
  name,
  onName,
  tenant,
}: AttributionProps & { users: Schema<"UsageAttribution"> }) {
  const choices = attributionChoices(users);
  const chosen = choices.find(({ value }) => value === name)?.value ?? choices[0]?.value ?? endUsers;
  const tagged = useAttribution({ from, to, tenant_id: tenant, tag: chosen }, chosen !== endUsers);
  const query = chosen === endUsers ? { data: users, error: null, refetch: tagged.refetch } : tagged;
  return (
    <Card padding={0} className={top["card"]}>
      <Group justify="space-between" px="lg" pt="md" pb={6}>
        <div>
          <Title order={2}>
            <Trans>End users and tags</Trans>
          </Title>
          <Text size="sm" c="dimmed">
            <Trans>Whole days in UTC</Trans>
          </Text>
        </div>
        <Select
          aria-label={t`End users or a tag`}
          size="sm"
          w={{ base: "100%", sm: 220 }}
          allowDeselect={false}
          searchable={choices.length > 8}
          data={choices}
          value={chosen}
          onChange={(value) => value && onName(value)}
        />
      </Group>
      {query.error && !query.data ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} />
      ) : !query.data ? (
        <Skeleton h={140} m="md" w="auto" />
      ) : (
        <AttributionTable usage={query.data} name={chosen} {...(tenant && { tenant })} />
      )}
      {users.other_tags.requests > 0 && (
        <Text size="sm" c="dimmed" px="lg" pb="md">
          <Trans>A day in this period has more than 32 tags. Only the first 32 have totals.</Trans>
        </Text>
      )}
    </Card>
  );
}

function AttributionTable({
  usage,
  name,
  tenant,
}: {
  usage: Schema<"UsageAttribution">;
  name: string;
  tenant?: string;
}) {
  const { rows, whole } = attributionRows(usage);
  return (
    <Table className={top["table"]} verticalSpacing={8} aria-label={t`End users and tags`}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{name === endUsers ? <Trans>End user</Trans> : <Trans>Value</Trans>}</Table.Th>
          <Table.Th scope="col" ta="right">
            {measureNames.spend}
          </Table.Th>
          <Table.Th scope="col" ta="right">
            <Trans>Share</Trans>
          </Table.Th>
          <Table.Th scope="col" ta="right">
            {measureNames.requests}
          </Table.Th>
          <Table.Th scope="col" ta="right">
            {measureNames.tokens}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.value ?? ""}>
            <Table.Td className={top["name"]}>
              {row.value === undefined ? (
                <span className="dimmed">
                  <Trans>Other</Trans>
                </span>
              ) : (
                <AnchorLink
                  to="/usage-logs"
                  search={attributionFilter(usage, name, row.value, tenant)}
                  inherit
                  c="inherit"
                  title={row.value}
                >
                  {row.value}
                </AnchorLink>
              )}
            </Table.Td>
            <Table.Td ta="right">
              <Usd amount={row.quota} short />
            </Table.Td>
            <Table.Td ta="right">
              <ShareBar percent={share(parseUsd(row.quota), whole)} />
            </Table.Td>
            <Table.Td ta="right">{shortCount(row.requests)}</Table.Td>
            <Table.Td ta="right">{shortCount(row.tokens)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
