import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Box, Text } from "@mantine/core";
import { IconCalendarTime } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { QuotaBar } from "@/components/quota/QuotaBar";
import { windowOf } from "@/components/quota/share";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { Moment, Usd } from "@/components/values";

type Limit = Schema<"Limit">;

const owners: Record<Limit["kind"], MessageDescriptor> = { tenant: msg`Tenant`, user: msg`You`, token: msg`Token` };

const ownerOf = ({ kind }: Limit) => i18n._(owners[kind]);

const columns = (): Column<Limit>[] => [
  { header: t`Budget of`, cell: ownerOf },
  { header: t`Period`, cell: (limit) => windowOf(limit.period) },
  { header: t`Used`, width: "34%", cell: (limit) => <Used limit={limit} /> },
  { header: t`Left`, align: "right", cell: (limit) => <Usd amount={limit.left} /> },
  { header: t`Resets`, align: "right", cell: (limit) => <Moment at={limit.resets_at} none={t`Never`} /> },
];

function Used({ limit }: { limit: Limit }) {
  const [owner, period] = [ownerOf(limit), windowOf(limit.period)];
  return (
    <Box maw={300} ml={{ base: "auto", sm: 0 }}>
      <Text size="sm" component="div">
        <Trans>
          <Usd amount={limit.used} /> of <Usd amount={limit.granted} />
        </Trans>
      </Text>
      <QuotaBar quota={limit} label={t`${owner}, ${period}`} size={5} />
    </Box>
  );
}

/** Lists the budgets of tenant and user per day, week and month. A request must keep within all of them. */
export function Limits({ limits, error, retry }: { limits: Limit[] | undefined; error: unknown; retry: () => void }) {
  return (
    <Section title={t`Budgets`}>
      <DataTable
        caption={t`Daily, weekly and monthly budgets`}
        columns={columns()}
        rows={limits?.filter((limit) => limit.granted !== null && limit.period !== "lifetime")}
        rowKey={(limit) => `${limit.kind} ${limit.period}`}
        error={error}
        retry={retry}
        skeletonRows={2}
        empty={
          <EmptyState icon={IconCalendarTime} title={t`No budgets`}>
            <Trans>No daily, weekly or monthly budget is set.</Trans>
          </EmptyState>
        }
      />
      <Text size="sm" c="dimmed" maw={680}>
        <Trans>
          "Reserved" covers requests in progress; what is unused is released. Days start at midnight UTC, weeks on
          Monday, and months on the first day.
        </Trans>
      </Text>
    </Section>
  );
}
