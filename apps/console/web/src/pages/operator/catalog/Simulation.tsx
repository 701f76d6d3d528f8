import { i18n } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Group, Progress, Stack, Tabs, Text, Title } from "@mantine/core";
import { IconCalculator } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { FormError } from "@/components/form";
import { SegmentedControl } from "@/components/SegmentedControl";
import { showCount } from "@/format/number";
import { parseUsd, showUsd } from "@/format/money";

import { percentOf } from "./rates";
import { isOver, useJob } from "./useJob";

type Proposal = Pick<Schema<"NewPriceSimulation">, "price" | "rule">;
type Result = Schema<"SimulationResult">;
type Share = Schema<"Share">;

const spansOf = () => [
  { value: "7", label: t`7 days` },
  { value: "30", label: t`30 days` },
  { value: "90", label: t`90 days` },
];
const day = 24 * 3600_000;

/** What a simulation was started with. */
interface Question {
  proposal: Proposal;
  days: string;
}

/** Shows what the calls of the last days would have cost under a proposed price or rule. */
export function Simulation({ proposal, disabled }: { proposal: Proposal; disabled: boolean }) {
  const [days, setDays] = useState("30");
  const [asked, setAsked] = useState<Question>();
  const wanted: Question = { proposal, days };
  const start = useMutation({
    mutationFn: ({ proposal, days }: Question) =>
      ask(
        api.POST("/api/operator/jobs/price-simulation", {
          body: { ...proposal, from: new Date(Date.now() - Number(days) * day).toISOString() },
        }),
      ),
    // Not `wanted`, which can have changed during the call.
    onSuccess: (_, sent) => setAsked(sent),
  });
  const id = start.data?.id;
  const job = useJob(id);
  const over = job.data !== undefined && isOver(job.data);
  // A result belongs to the proposal and the days that it was started with. If either changes, the result is stale.
  const stale = over && JSON.stringify(asked) !== JSON.stringify(wanted);
  const result = job.data?.result?.price_simulation;
  return (
    <Stack gap="sm" component="section" aria-label={t`Simulation`}>
      <Group justify="space-between" gap="xs">
        <Title order={3}>
          <Trans>What would this have cost?</Trans>
        </Title>
        <Group gap="xs">
          <SegmentedControl
            aria-label={t({ message: "Period", context: "time range" })}
            data={spansOf()}
            value={days}
            onChange={setDays}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<IconCalculator size={15} />}
            disabled={disabled}
            loading={start.isPending || (id !== undefined && !over && !job.error)}
            onClick={() => start.mutate(wanted)}
          >
            <Trans>Simulate</Trans>
          </Button>
        </Group>
      </Group>
      <div aria-live="polite">
        <FormError error={start.error ?? job.error} />
        {job.data && !over && <Running job={job.data} />}
        {job.data?.error && <Alert color="red">{job.data.error.message}</Alert>}
        {result && over && <Shown result={result} stale={stale} />}
        {!id && !start.error && (
          <Text size="sm" c="dimmed">
            <Trans>Prices past requests again with this change. Nothing is charged.</Trans>
          </Text>
        )}
      </div>
    </Stack>
  );
}

function Running({ job }: { job: Schema<"Job"> }) {
  const { done, total } = job.progress;
  const priced = showCount(done);
  return (
    <Stack gap={4}>
      <Progress
        value={total ? Math.min(100, (done / total) * 100) : 100}
        animated
        aria-label={t`Progress of the simulation`}
      />
      <Text size="sm" c="dimmed" className="tabular">
        {job.status === "queued"
          ? t`Waiting for a worker`
          : total
            ? t`${priced} of about ${plural(total, { one: "# request", other: "# requests" })}`
            : plural(done, { one: "# request", other: "# requests" })}
      </Text>
    </Stack>
  );
}

function Shown({ result, stale }: { result: Result; stale: boolean }) {
  const { calls, unpriced } = result;
  const affected = showCount(result.affected);
  return (
    <Stack gap="sm" opacity={stale ? 0.55 : 1}>
      {stale && (
        <Text size="sm">
          <Trans>The change was edited since. Simulate again.</Trans>
        </Text>
      )}
      <Group gap="xl">
        <Figure label={t`Actual`} value={showUsd(result.before)} />
        <Figure label={t`Simulated`} value={showUsd(result.after)} />
        <Figure
          label={t`Difference`}
          value={signed(result.difference)}
          tone={result.difference}
          hint={percentOf(result.before, result.after)}
        />
      </Group>
      <Text size="sm" c="dimmed">
        {t`The change would have applied to ${affected} of ${plural(calls, { one: "# request", other: "# requests" })}.`}
        {unpriced > 0 &&
          ` ${plural(unpriced, { one: "# request has no price with the change and is not included.", other: "# requests have no price with the change and are not included." })}`}
      </Text>
      {result.affected > 0 && (
        <Tabs defaultValue="tenants">
          <Tabs.List>
            <Tabs.Tab value="tenants">
              <Trans>By tenant</Trans>
            </Tabs.Tab>
            <Tabs.Tab value="groups">
              <Trans>By group</Trans>
            </Tabs.Tab>
            <Tabs.Tab value="models">
              <Trans>By model</Trans>
            </Tabs.Tab>
          </Tabs.List>
          {(["tenants", "groups", "models"] as const).map((by) => (
            <Tabs.Panel key={by} value={by} pt="sm">
              <Breakdown by={by} breakdown={result[by]} />
            </Tabs.Panel>
          ))}
        </Tabs>
      )}
    </Stack>
  );
}

const columnsOf = (): Column<Share>[] => [
  { id: "name", header: t`Name`, cell: ({ name, id }) => name || id },
  { id: "requests", header: t`Requests`, align: "right", cell: ({ calls }) => showCount(calls) },
  { id: "actual", header: t`Actual`, align: "right", cell: ({ before }) => showUsd(before) },
  { id: "simulated", header: t`Simulated`, align: "right", cell: ({ after }) => showUsd(after) },
  {
    id: "difference",
    header: t`Difference`,
    align: "right",
    cell: ({ difference }) => <span style={{ color: toneOf(difference) }}>{signed(difference)}</span>,
  },
];

const captions = {
  tenants: msg`Difference by tenant`,
  groups: msg`Difference by group`,
  models: msg`Difference by model`,
};

function Breakdown({ by, breakdown }: { by: keyof typeof captions; breakdown: Schema<"Breakdown"> }) {
  const { items, rest } = breakdown;
  const rows = rest.calls > 0 ? [...items, { ...rest, id: "", name: t`All others` }] : items;
  return (
    <DataTable
      caption={i18n._(captions[by])}
      columns={columnsOf()}
      rows={rows}
      rowKey={({ id }) => id}
      empty={
        <Text p="md" c="dimmed">
          <Trans>No requests</Trans>
        </Text>
      }
    />
  );
}

function Figure({
  label,
  value,
  tone,
  hint,
}: {
  label: string;
  value: string;
  tone?: string;
  hint?: string | undefined;
}) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600} fz="lg" className="tabular" c={tone && toneOf(tone)}>
        {value}{" "}
        {hint && (
          <Text component="span" size="sm" fw={400}>
            {hint}
          </Text>
        )}
      </Text>
    </div>
  );
}

const signed = (difference: string) => (parseUsd(difference) > 0n ? `+${showUsd(difference)}` : showUsd(difference));

/** Returns the color of a difference. Only losses are marked: more revenue is neither good nor bad. */
const toneOf = (difference: string) => (parseUsd(difference) < 0n ? "var(--tollgate-bad)" : undefined);
