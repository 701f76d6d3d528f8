import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Anchor, Badge, Button, Card, Checkbox, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconChecks } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { type Column, DataTable } from "@/components/DataTable";
import { FormError } from "@/components/form";
import { AnchorLink } from "@/components/links";
import { Section } from "@/components/Section";
import { EmptyState } from "@/components/states";
import { Moment } from "@/components/values";
import { showUsd } from "@/format/money";
import { showCount } from "@/format/number";
import { maxRows } from "@/pages/operator/catalog/queries";
import { momentOf, whenFault } from "@/pages/operator/catalog/when";
import { tomorrow, WhenField } from "@/pages/operator/catalog/WhenField";

import style from "./Changes.module.css";
import { differencesQuery } from "./queries";
import { rateLabel } from "./rateLabel";
import {
  confirmWarning,
  type Difference,
  keyOf,
  selectedOf,
  type Selection,
  showPercent,
  toggle,
  unconfirmed,
  warningLabels,
} from "./selection";

/** Lists the models whose price differs from the catalog, and schedules the selected ones. */
export function Differences() {
  const list = useQuery(differencesQuery);
  const [selection, setSelection] = useSelection(list.data?.sha256);
  const rows = list.data?.items;
  const most = showCount(maxRows);
  const columns: Column<Difference>[] = [
    {
      id: "model",
      header: t`Model`,
      width: "22%",
      cell: (row) => (
        <Name row={row} selected={keyOf(row) in selection} select={() => setSelection(toggle(selection, row))} />
      ),
    },
    { id: "changes", header: t`Changes`, cell: (row) => <Changes row={row} /> },
    { id: "source", header: t`Source`, width: "17%", cell: (row) => <Source row={row} /> },
    {
      id: "to_confirm",
      header: t`To confirm`,
      width: "23%",
      cell: (row) => <Warnings row={row} selection={selection} change={setSelection} />,
    },
  ];
  return (
    <Section
      title={t`Differences from your prices`}
      description={t`USD per 1M tokens, per request or per use of a tool. Models with the same price are not listed.`}
    >
      {list.data?.more && (
        <Alert color="yellow">
          <Trans>Only the first {most} differences are shown.</Trans>
        </Alert>
      )}
      <DataTable
        caption={t`Differences from your prices`}
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        error={list.error}
        retry={() => void list.refetch()}
        empty={
          <EmptyState icon={IconChecks} title={t`No differences`}>
            <Trans>Your prices match the catalog, or the catalog doesn’t list your models.</Trans>
          </EmptyState>
        }
      />
      {rows && rows.length > 0 && (
        <Schedule sha256={list.data?.sha256 ?? ""} rows={rows} selection={selection} done={() => setSelection({})} />
      )}
    </Section>
  );
}

/** Holds the selection from one catalog file. It is empty for each new file: nobody has seen its warnings yet. */
function useSelection(sha256: string | undefined): [Selection, (selection: Selection) => void] {
  const [chosen, setChosen] = useState<{ sha256: string | undefined; selection: Selection }>();
  const selection = chosen?.sha256 === sha256 ? (chosen?.selection ?? {}) : {};
  return [selection, (next) => setChosen({ sha256, selection: next })];
}

function Name({ row, selected, select }: { row: Difference; selected: boolean; select: () => void }) {
  const {
    model,
    entry: { provider },
  } = row;
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Checkbox aria-label={t`Select ${model} from ${provider}`} checked={selected} onChange={select} mt={2} />
      <Stack gap={2} miw={0}>
        <AnchorLink to="/operator/models/$id" params={{ id: row.model }} c="inherit" fw={500}>
          {row.model}
        </AnchorLink>
        <Text component="span" size="xs" c="dimmed">
          {row.entry.id}
        </Text>
        {row.scheduled_at !== null && (
          <Text component="span" size="xs">
            <Trans>
              Scheduled: <Moment at={row.scheduled_at} />
            </Trans>
          </Text>
        )}
      </Stack>
    </Group>
  );
}

function Changes({ row }: { row: Difference }) {
  return (
    <ul className={style["changes"]}>
      {row.changes.map(({ rate, old, new: offered, percent, warning }) => (
        <li key={rate} className={style["change"]}>
          <span className={style["label"]}>{rateLabel(rate)}</span>
          <span className={`tabular ${style["amounts"]}`}>
            {old ? showRate(rate, old) : t`none`} → {offered ? showRate(rate, offered) : t`none`}
          </span>
          <span>
            {showPercent(percent) && (
              <Badge color={warning ? "yellow" : "gray"} miw="max-content">
                {showPercent(percent)}
              </Badge>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

const showRate = (rate: string, amount: string) => (rate.endsWith(".multiplier") ? `× ${amount}` : showUsd(amount));

function Source({ row: { entry } }: { row: Difference }) {
  const day = entry.read;
  return (
    <Stack gap={2}>
      <Anchor href={entry.source} target="_blank" rel="noreferrer" size="sm" lineClamp={1}>
        {new URL(entry.source).hostname}
      </Anchor>
      <Text component="span" size="xs" c="dimmed">
        <Trans>Read on {day}</Trans>
      </Text>
      {entry.note && (
        <Text component="span" size="xs" c="dimmed" lineClamp={3} title={entry.note}>
          {entry.note}
        </Text>
      )}
    </Stack>
  );
}

function Warnings({
  row,
  selection,
  change,
}: {
  row: Difference;
  selection: Selection;
  change: (selection: Selection) => void;
}) {
  const confirmed = selection[keyOf(row)];
  if (row.warnings.length === 0)
    return (
      <Text component="span" size="sm" c="dimmed">
        <Trans>Nothing</Trans>
      </Text>
    );
  return (
    <Stack gap={4}>
      {row.warnings.map((warning) => (
        <Checkbox
          key={warning}
          size="xs"
          label={i18n._(warningLabels[warning])}
          disabled={confirmed === undefined}
          checked={confirmed?.includes(warning) ?? false}
          onChange={() => change(confirmWarning(selection, row, warning))}
        />
      ))}
    </Stack>
  );
}

function Schedule({
  sha256,
  rows,
  selection,
  done,
}: {
  sha256: string;
  rows: Difference[];
  selection: Selection;
  done: () => void;
}) {
  const client = useQueryClient();
  const [when, setWhen] = useState(tomorrow);
  const changes = selectedOf(selection, rows);
  const selected = changes.length;
  const open = unconfirmed(selection, rows);
  const apply = useMutation({
    mutationFn: () =>
      ask(
        api.POST("/api/operator/price-catalog/apply", {
          body: { sha256, effective_from: momentOf(when) ?? "", changes },
        }),
      ),
    onSuccess: async ({ items }) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      done();
      const scheduled = items.length;
      notifications.show({
        color: "green",
        message: plural(scheduled, { one: "# price scheduled.", other: "# prices scheduled." }),
      });
    },
  });
  return (
    <Card>
      <Stack gap="sm" align="flex-start">
        <WhenField later value={when} onChange={(moment) => setWhen(moment ?? tomorrow())} error={whenFault(when)} />
        <FormError error={apply.error} />
        <Group gap="sm">
          <Button
            disabled={changes.length === 0 || open > 0 || whenFault(when) !== null}
            loading={apply.isPending}
            onClick={() => apply.mutate()}
          >
            {plural(selected, {
              0: "Schedule the selected prices",
              one: "Schedule # price",
              other: "Schedule # prices",
            })}
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {changes.length === 0
              ? t`Select the models whose price should change.`
              : open > 0 &&
                plural(open, {
                  one: "Confirm # warning of the selected models first.",
                  other: "Confirm # warnings of the selected models first.",
                })}
          </Text>
        </Group>
      </Stack>
    </Card>
  );
}
