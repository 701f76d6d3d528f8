import { Alert, Button, Group, Progress, SegmentedControl, Stack, Tabs, Text, Title } from "@mantine/core";
import { IconCalculator } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { FormError } from "@/components/form";
import { plural, showCount } from "@/format/number";
import { parseUsd, showUsd } from "@/format/money";

import { percentOf } from "./rates";
import { isOver, useJob } from "./useJob";

type Proposal = Pick<Schema<"NewPriceSimulation">, "price" | "rule">;
type Result = Schema<"SimulationResult">;
type Share = Schema<"Share">;

const spans = [{ value: "7", label: "7 days" }, { value: "30", label: "30 days" }, { value: "90", label: "90 days" }];
const day = 24 * 3600_000;

/** Shows what the calls of the last days would have cost under a proposed price or rule. */
export function Simulation({ proposal, disabled }: { proposal: Proposal; disabled: boolean }) {
  const [days, setDays] = useState("30");
  const [asked, setAsked] = useState("");
  // A result belongs to the proposal and the days that it was started with. If either changes, the result is stale.
  const wanted = JSON.stringify([proposal, days]);
  const start = useMutation({
    mutationFn: () => ask(api.POST("/api/operator/jobs/price-simulation", { body: { ...proposal, from: new Date(Date.now() - Number(days) * day).toISOString() } })),
    onSuccess: () => setAsked(wanted),
  });
  const id = start.data?.id;
  const job = useJob(id);
  const over = job.data !== undefined && isOver(job.data);
  const stale = over && asked !== wanted;
  const result = job.data?.result?.price_simulation;
  return (
    <Stack gap="sm" component="section" aria-label="Simulation">
      <Group justify="space-between" gap="xs">
        <Title order={3}>What would this have cost?</Title>
        <Group gap="xs">
          <SegmentedControl aria-label="Calls of the last" data={spans} value={days} onChange={setDays} />
          <Button size="xs" variant="default" leftSection={<IconCalculator size={15} />} disabled={disabled} loading={start.isPending || (id !== undefined && !over && !job.error)} onClick={() => start.mutate()}>
            Simulate
          </Button>
        </Group>
      </Group>
      <div aria-live="polite">
        <FormError error={start.error ?? job.error} />
        {job.data && !over && <Running job={job.data} />}
        {job.data?.error && <Alert color="red">{job.data.error.message}</Alert>}
        {result && over && <Shown result={result} stale={stale} />}
        {!id && !start.error && <Text size="sm" c="dimmed">Prices past calls once more, with the change in place of what held then. Nothing is charged.</Text>}
      </div>
    </Stack>
  );
}

function Running({ job }: { job: Schema<"Job"> }) {
  const { done, total } = job.progress;
  return (
    <Stack gap={4}>
      <Progress value={total ? Math.min(100, (done / total) * 100) : 100} animated aria-label="Progress of the simulation" />
      <Text size="sm" c="dimmed" className="tabular">
        {job.status === "queued" ? "Waiting for a worker" : `${showCount(done)}${total ? ` of about ${showCount(total)}` : ""} calls`}
      </Text>
    </Stack>
  );
}

function Shown({ result, stale }: { result: Result; stale: boolean }) {
  return (
    <Stack gap="sm" opacity={stale ? 0.55 : 1}>
      {stale && <Text size="sm">The change is another one by now: simulate again.</Text>}
      <Group gap="xl">
        <Figure label="Was" value={showUsd(result.before)} />
        <Figure label="Would have been" value={showUsd(result.after)} />
        <Figure label="Difference" value={signed(result.difference)} tone={result.difference} hint={percentOf(result.before, result.after)} />
      </Group>
      <Text size="sm" c="dimmed">
        {plural(result.affected, "call")} of {showCount(result.calls)} would have been priced by the change.
        {result.unpriced > 0 && ` ${plural(result.unpriced, "call")} could not be priced by it, and are in no sum.`}
      </Text>
      {result.affected > 0 && (
        <Tabs defaultValue="tenants">
          <Tabs.List>
            <Tabs.Tab value="tenants">By tenant</Tabs.Tab>
            <Tabs.Tab value="groups">By group</Tabs.Tab>
            <Tabs.Tab value="models">By model</Tabs.Tab>
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

const columns: Column<Share>[] = [
  { header: "Name", cell: ({ name, id }) => name || id },
  { header: "Calls", align: "right", cell: ({ calls }) => showCount(calls) },
  { header: "Was", align: "right", cell: ({ before }) => showUsd(before) },
  { header: "Would be", align: "right", cell: ({ after }) => showUsd(after) },
  { header: "Difference", align: "right", cell: ({ difference }) => <span style={{ color: toneOf(difference) }}>{signed(difference)}</span> },
];

function Breakdown({ by, breakdown }: { by: string; breakdown: Schema<"Breakdown"> }) {
  const { items, rest } = breakdown;
  const rows = rest.calls > 0 ? [...items, { ...rest, id: "", name: "All others" }] : items;
  return <DataTable caption={`Difference by ${by}`} columns={columns} rows={rows} rowKey={({ id }) => id} empty={<Text p="md" c="dimmed">No calls.</Text>} />;
}

function Figure({ label, value, tone, hint }: { label: string; value: string; tone?: string; hint?: string | undefined }) {
  return (
    <div>
      <Text size="sm" c="dimmed">{label}</Text>
      <Text fw={600} fz="lg" className="tabular" c={tone && toneOf(tone)}>
        {value} {hint && <Text component="span" size="sm" fw={400}>{hint}</Text>}
      </Text>
    </div>
  );
}

const signed = (difference: string) => (parseUsd(difference) > 0n ? `+${showUsd(difference)}` : showUsd(difference));

/** Returns the color of a difference. Only losses are marked: more revenue is neither good nor bad. */
const toneOf = (difference: string) => (parseUsd(difference) < 0n ? "var(--tollgate-bad)" : undefined);
