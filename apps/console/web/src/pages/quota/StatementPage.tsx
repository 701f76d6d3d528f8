import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Stack, Text } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";

import type { Schema } from "@/api/client";
import { isAdmin, useIdentity } from "@/api/session";
import { DataTable, type Column } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { Usd } from "@/components/values";
import { showCount } from "@/format/number";

import { monthAt, monthOf } from "./statement";
import classes from "./Statement.module.css";
import { dayOf, StatementSection } from "./StatementSection";
import { useModels } from "./useStatement";

type Row = Schema<"UsageSummaryRow">;

const columns = (): Column<Row>[] => [
  { header: t`Model`, cell: ({ value }) => <span className="mono">{value}</span> },
  {
    header: t`Requests`,
    align: "right",
    cell: ({ requests }) => <span className="tabular">{showCount(requests)}</span>,
  },
  { header: t`Amount`, align: "right", cell: ({ quota }) => <Usd amount={quota} /> },
];

/** The statement of a month on a page of its own, to be printed or saved as PDF. */
export function StatementPage() {
  const identity = useIdentity();
  const search = useSearch({ strict: false }) as { month?: string };
  const navigate = useNavigate();
  const month = monthOf(search.month ?? "") ?? monthAt(Date.now());
  const models = useModels(month);
  if (!isAdmin(identity)) {
    return (
      <Page title={t`Monthly statement`}>
        <EmptyState title={t`The statement is for admins`}>
          <Trans>Ask an admin of your organization for a statement.</Trans>
        </EmptyState>
      </Page>
    );
  }
  const name = identity.tenant?.name ?? "";
  const [from, to] = [dayOf(month.from), dayOf(new Date(Date.parse(month.to) - 1).toISOString())];
  return (
    <div className={classes["sheet"]}>
      <Page title={t`Monthly statement`} parent={{ to: "/quota", label: t`Quota & ledger` }}>
        <Stack gap={2}>
          <Text fw={600}>
            <Trans>Organization: {name}</Trans>
          </Text>
          <Text c="dimmed">
            <Trans>
              Period: {from} to {to}
            </Trans>
          </Text>
        </Stack>
        <StatementSection
          month={month}
          choose={(chosen) => void navigate({ to: "/quota/statement", search: { month: chosen.name } })}
        >
          <Button leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
            <Trans>Print or save as PDF</Trans>
          </Button>
        </StatementSection>
        <Section title={t`Usage by model`}>
          <DataTable
            caption={t`Usage by model`}
            columns={columns()}
            rows={models.data}
            rowKey={({ value }) => value}
            error={models.error}
            retry={() => void models.refetch()}
            skeletonRows={3}
            empty={<EmptyState title={t`No changes in this month`} />}
          />
        </Section>
      </Page>
    </div>
  );
}
