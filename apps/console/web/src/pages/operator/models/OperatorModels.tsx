import { Alert, Badge, Button, Group, SegmentedControl, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCpu, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";

import { AnchorLink } from "@/components/links";
import { DataTable, type Column } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { baseOf, type RateName } from "@/components/usage/classes";
import { Status } from "@/components/values";
import { plural } from "@/format/number";
import { showUsd } from "@/format/money";
import { channelsQuery, modelsQuery, maxRows } from "@/pages/operator/catalog/queries";

import { CreateModel } from "./CreateModel";
import { filteredModels, rowsOf, type ModelFilter, type ModelRow } from "./models";

const route = getRouteApi("/signed-in/operator/models");

const columns: Column<ModelRow>[] = [
  { header: "Model", width: "30%", cell: (row) => <Name row={row} /> },
  { header: "Input / 1M", align: "right", cell: (row) => <Rate row={row} name="input" /> },
  { header: "Cached / 1M", align: "right", cell: (row) => <Rate row={row} name="cached_input" />, secondary: true },
  { header: "Output / 1M", align: "right", cell: (row) => <Rate row={row} name="output" /> },
  { header: "Request", align: "right", cell: (row) => <Rate row={row} name="request" />, secondary: true },
  { header: "Served by", cell: (row) => <Served row={row} /> },
  { header: "Status", cell: ({ model }) => <Status value={model.status} /> },
];

const step = 100;

/** Lists all models with their current prices. */
export function OperatorModels() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const models = useQuery(modelsQuery);
  const channels = useQuery(channelsQuery);
  const [creating, editor] = useDisclosure();
  const [shown, setShown] = useState(step);
  const rows = models.data && rowsOf(models.data.items, channels.data?.items);
  const found = rows && filteredModels(rows, filter);
  const troubled = rows?.filter(({ attention }) => attention.length > 0).length ?? 0;
  const set = (change: ModelFilter) => void navigate({ search: { ...filter, ...change }, replace: true });
  return (
    <Page
      wide title="Models & prices" description="What clients may call, and what it costs: USD per 1M tokens, and per request. Groups may pay more or less."
      actions={<Button leftSection={<IconPlus size={16} />} onClick={editor.open}>New model</Button>}
    >
      {troubled > 0 && filter.status !== "attention" && (
        <Alert color="yellow">
          <Group justify="space-between" gap="xs">
            <span>{plural(troubled, "enabled model cannot", "enabled models cannot")} be called: no price, or no enabled channel.</span>
            <Button size="compact-sm" variant="default" onClick={() => set({ status: "attention" })}>
              Show
            </Button>
          </Group>
        </Alert>
      )}
      <Group gap="xs">
        <SearchInput label="Search models" value={filter.search ?? ""} onSearch={(search) => set({ search: search || undefined })} />
        <SegmentedControl
          aria-label="Status" data={[{ value: "all", label: "All" }, { value: "enabled", label: "Enabled" }, { value: "disabled", label: "Disabled" }, { value: "attention", label: "Cannot be called" }]}
          value={filter.status ?? "all"} onChange={(word) => set({ status: words.find((known) => known === word) })}
        />
      </Group>
      {models.data?.more && <Alert color="yellow">Only the first {maxRows} models are shown.</Alert>}
      <DataTable
        caption="Models" columns={columns} rows={found?.slice(0, shown)} rowKey={({ model }) => model.id} error={models.error} retry={() => void models.refetch()}
        faded={({ model }) => model.status !== "enabled"} onRowClick={({ model }) => void navigate({ to: "/operator/models/$id", params: { id: model.id } })}
        empty={<NoModels none={rows?.length === 0} create={editor.open} reset={() => void navigate({ search: {} })} />}
        footer={found && found.length > shown && (
          <Group px="md" py="xs" justify="space-between">
            <Text size="sm" c="dimmed">{shown} of {plural(found.length, "model")}</Text>
            <Button size="xs" variant="default" onClick={() => setShown(shown + step)}>Show more</Button>
          </Group>
        )}
      />
      <CreateModel opened={creating} close={editor.close} />
    </Page>
  );
}

const words = ["enabled", "disabled", "attention"] as const;

function NoModels({ none, create, reset }: { none: boolean; create: () => void; reset: () => void }) {
  return none ? (
    <EmptyState icon={IconCpu} title="No models yet" action={<Button onClick={create}>New model</Button>}>A model is the name that clients call, with its price. Channels serve it.</EmptyState>
  ) : (
    <EmptyState icon={IconCpu} title="No model matches" action={<Button variant="default" onClick={reset}>Show all models</Button>} />
  );
}

function Name({ row: { model } }: { row: ModelRow }) {
  return (
    <Stack gap={0} miw={0}>
      <AnchorLink to="/operator/models/$id" params={{ id: model.id }} c="inherit" fw={500} lineClamp={2} title={model.id}>
        {model.id}
      </AnchorLink>
      <Text component="span" size="xs" c="dimmed" lineClamp={1}>
        {model.owned_by}
      </Text>
    </Stack>
  );
}

function Rate({ row: { model, attention }, name }: { row: ModelRow; name: RateName }) {
  const rate = model.price?.[name];
  if (rate !== undefined) return <span className="tabular">{showUsd(rate)}</span>;
  if (name === "input" && attention.includes("unpriced")) return <Badge color="yellow">Not priced</Badge>;
  if (name === "input" && model.free && !model.price) return <Badge color="green">Free</Badge>;
  const base = baseOf(name);
  return <Text component="span" c="dimmed" inherit>{base && model.price?.[base] ? `as ${base}` : "–"}</Text>;
}

function Served({ row: { served, disabled, attention } }: { row: ModelRow }) {
  if (attention.includes("unserved")) return <Badge color="yellow">{disabled > 0 ? `Not served: ${disabled} disabled` : "Not served"}</Badge>;
  return served > 0 ? <span className="tabular">{plural(served, "channel")}</span> : <Text component="span" c="dimmed" inherit>None</Text>;
}
