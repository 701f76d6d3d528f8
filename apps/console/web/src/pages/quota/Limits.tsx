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

const owners = { tenant: "Tenant", user: "You", token: "Token" } as const;

const columns: Column<Limit>[] = [
  { header: "Limit of", cell: (limit) => owners[limit.kind] },
  { header: "Window", cell: (limit) => windowOf(limit.period) },
  { header: "Used", width: "34%", cell: (limit) => <Used limit={limit} /> },
  { header: "Left", align: "right", cell: (limit) => <Usd amount={limit.left} /> },
  { header: "Resets", align: "right", cell: (limit) => <Moment at={limit.resets_at} none="Never" /> },
];

function Used({ limit }: { limit: Limit }) {
  return (
    <Box maw={300} ml={{ base: "auto", sm: 0 }}>
      <Text size="sm" component="div">
        <Usd amount={limit.used} /> of <Usd amount={limit.granted} />
      </Text>
      <QuotaBar quota={limit} label={`${owners[limit.kind]}, ${windowOf(limit.period)}`} size={5} />
    </Box>
  );
}

/** Lists the limits of tenant and user per day, week and month. A call must keep within all of them. */
export function Limits({ limits, error, retry }: { limits: Limit[] | undefined; error: unknown; retry: () => void }) {
  return (
    <Section title="Limits by time">
      <DataTable
        caption="Limits of days, weeks and months"
        columns={columns}
        rows={limits?.filter((limit) => limit.granted !== null && limit.period !== "lifetime")}
        rowKey={(limit) => `${limit.kind} ${limit.period}`}
        error={error}
        retry={retry}
        skeletonRows={2}
        empty={
          <EmptyState icon={IconCalendarTime} title="No limits by time">
            Neither the tenant nor you may spend only so much in a day, a week or a month.
          </EmptyState>
        }
      />
      <Text size="sm" c="dimmed" maw={680}>
        Held is what relays have set aside for calls in flight and those to come: what they do not spend returns by itself. Days begin at midnight UTC, weeks on Monday and months on the first.
      </Text>
    </Section>
  );
}
