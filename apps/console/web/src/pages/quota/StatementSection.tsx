import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ActionIcon, Badge, Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconFileExport, IconReceipt2 } from "@tabler/icons-react";
import type { ReactNode } from "react";

import type { Schema } from "@/api/client";
import { saveFile } from "@/api/save";
import { DataTable, type Column } from "@/components/DataTable";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { Moment } from "@/components/values";
import { perLanguage } from "@/format/locale";
import { type Nano, parseUsd, showUsd } from "@/format/money";

import { kinds, Signed } from "./Ledger";
import { after, type Month, monthAt, statementCSV } from "./statement";
import classes from "./Statement.module.css";
import { useStatement } from "./useStatement";

const monthName = perLanguage(
  "date",
  (tag) => new Intl.DateTimeFormat(tag, { month: "long", year: "numeric", timeZone: "UTC" }),
);

const dayName = perLanguage(
  "date",
  (tag) =>
    new Intl.DateTimeFormat(tag, {
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    }),
);

/** Returns the full name of the day in UTC that has a moment. */
export const dayOf = (at: string) => `${dayName().format(new Date(at))}, UTC`;

/** Returns the name of a month in the language of the user. */
export const nameOf = ({ from }: Month) => monthName().format(new Date(from));

const columns = (): Column<Schema<"StatementLine">>[] => [
  { header: t`Time`, width: 190, cell: ({ kind, at }) => (kind === "usage" ? dayOf(at) : <Moment at={at} clock />) },
  {
    header: t`Kind`,
    width: 130,
    cell: ({ kind }) =>
      kind === "usage" ? (
        <Badge color="gray">
          <Trans>Usage</Trans>
        </Badge>
      ) : (
        <Badge color={kinds[kind][1]}>{kinds[kind][0]}</Badge>
      ),
  },
  { header: t`Description`, cell: ({ kind, reason }) => (kind === "usage" ? <Trans>Usage of the day</Trans> : reason) },
  { header: t`Amount`, align: "right", cell: ({ amount }) => <Signed amount={amount} /> },
  { header: t`Balance`, align: "right", cell: ({ balance }) => <span className="tabular">{showUsd(balance)}</span> },
];

interface SectionProps {
  month: Month;
  choose: (month: Month) => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** Shows the statement of a month: what was granted and used, with the balance after each line. */
export function StatementSection({ month, choose, children }: SectionProps) {
  const query = useStatement(month);
  const made = query.data;
  const name = nameOf(month);
  const latest = month.name >= monthAt(Date.now()).name;
  const save = () =>
    made && saveFile(`statement-${month.name}.csv`, new Blob([statementCSV(made, month)], { type: "text/csv" }));
  const actions = (
    <Group gap="xs" className={classes["noPrint"]}>
      <ActionIcon variant="default" size="lg" aria-label={t`Previous month`} onClick={() => choose(after(month, -1))}>
        <IconChevronLeft size={16} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t`Next month`}
        disabled={latest}
        onClick={() => choose(after(month, 1))}
      >
        <IconChevronRight size={16} />
      </ActionIcon>
      <Button variant="default" leftSection={<IconFileExport size={16} />} disabled={!made} onClick={save}>
        <Trans>CSV</Trans>
      </Button>
      {children}
    </Group>
  );
  return (
    <Section
      title={t`Statement of ${name}`}
      description={<Trans>Days are days in UTC. All amounts are exact, in US dollars.</Trans>}
      actions={actions}
    >
      {made && <Balances made={made} open={latest} />}
      <DataTable
        caption={t`Statement lines`}
        columns={columns()}
        rows={made?.lines}
        rowKey={({ entry_id, at }) => entry_id ?? at}
        error={query.error}
        retry={() => void query.refetch()}
        skeletonRows={6}
        empty={
          <EmptyState icon={IconReceipt2} title={t`No changes in this month`}>
            <Trans>Quota that is granted or used appears here.</Trans>
          </EmptyState>
        }
      />
    </Section>
  );
}

/** Shows the sums of a statement. `open` is set while the month lasts. */
function Balances({ made, open }: { made: Schema<"Statement">; open: boolean }) {
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="md">
      <Sum label={t`Opening balance`} amount={made.opening} />
      <Sum label={t`Granted and taken back`} amount={made.granted} />
      <Sum label={t`Usage`} amount={-parseUsd(made.used)} />
      <Sum label={open ? t`Balance now` : t`Closing balance`} amount={made.closing} strong />
    </SimpleGrid>
  );
}

function Sum({ label, amount, strong = false }: { label: string; amount: string | Nano; strong?: boolean }) {
  return (
    <Stack gap={0}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={strong ? 600 : 500} className="tabular">
        {showUsd(amount)}
      </Text>
    </Stack>
  );
}
