import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCoins, IconCpu, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { AnchorLink } from "@/components/links";
import { DataTable, type Column } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { SearchInput } from "@/components/SearchInput";
import { SegmentedControl } from "@/components/SegmentedControl";
import { EmptyState } from "@/components/states";
import { baseOf, type RateName } from "@/components/usage/classes";
import { Status } from "@/components/values";
import { showCount } from "@/format/number";
import { showUsd } from "@/format/money";
import { impliedPrice } from "@/pages/operator/catalog/labels";
import { channelsQuery, modelsQuery, maxRows } from "@/pages/operator/catalog/queries";

import { BulkPrices } from "./BulkPrices";
import { CreateModel } from "./CreateModel";
import { filteredModels, rowsOf, type ModelFilter, type ModelRow } from "./models";

const route = getRouteApi("/signed-in/operator/models");

/** The cell of a rate, and its values. */
const rateOf = (name: RateName): Pick<Column<ModelRow>, "cell" | "value" | "sortBy"> => ({
  value: ({ model }) => model.price?.[name],
  sortBy: ({ model }) => (model.price?.[name] === undefined ? undefined : Number(model.price[name])),
  cell: (row) => <Rate row={row} name={name} />,
});

const columnsOf = (): Column<ModelRow>[] => [
  { id: "model", header: t`Model`, width: "30%", value: ({ model }) => model.id, cell: (row) => <Name row={row} /> },
  { id: "input_1m", header: t`Input / 1M`, align: "right", ...rateOf("input") }, // not translated: a name of the API
  // Not translated: a name of the API.
  { id: "cached_1m", header: t`Cached / 1M`, align: "right", ...rateOf("cached_input"), secondary: true },
  { id: "output_1m", header: t`Output / 1M`, align: "right", ...rateOf("output") }, // not translated: a name of the API
  // Not translated: a name of the API.
  { id: "per_request", header: t`Per request`, align: "right", ...rateOf("request"), secondary: true },
  { id: "served_by", header: t`Served by`, value: ({ served }) => served, cell: (row) => <Served row={row} /> },
  {
    id: "owned_by",
    header: t`Owned by`,
    optional: true,
    value: ({ model }) => model.owned_by,
    cell: ({ model }) => model.owned_by,
  },
  {
    id: "status",
    header: t`Status`,
    value: ({ model }) => model.status,
    cell: ({ model }) => <Status value={model.status} />,
  },
];

/** Lists all models with their current prices. */
export function OperatorModels() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const models = useQuery(modelsQuery);
  const channels = useQuery(channelsQuery);
  const [creating, editor] = useDisclosure();
  const [changing, bulk] = useDisclosure();
  const rows = models.data && rowsOf(models.data.items, channels.data?.items);
  const found = rows && filteredModels(rows, filter);
  const troubled = rows?.filter(({ attention }) => attention.length > 0).length ?? 0;
  const most = showCount(maxRows);
  const set = (change: ModelFilter) => void navigate({ search: { ...filter, ...change }, replace: true });
  return (
    <Page
      wide
      title={t`Models & prices`}
      description={t`The models that clients can call, with prices in USD per 1M tokens and per request. Groups can pay more or less.`}
      actions={
        <>
          <Button variant="default" leftSection={<IconCoins size={16} />} onClick={bulk.open} disabled={!models.data}>
            <Trans>Change several prices</Trans>
          </Button>
          <Button leftSection={<IconPlus size={16} />} onClick={editor.open}>
            <Trans>New model</Trans>
          </Button>
        </>
      }
    >
      {troubled > 0 && filter.status !== "attention" && (
        <Alert color="yellow">
          <Group justify="space-between" gap="xs">
            <span>
              {plural(troubled, {
                one: "# enabled model can’t be called: it has no price or no enabled channel.",
                other: "# enabled models can’t be called: they have no price or no enabled channel.",
              })}
            </span>
            <Button size="compact-sm" variant="default" onClick={() => set({ status: "attention" })}>
              <Trans>Show</Trans>
            </Button>
          </Group>
        </Alert>
      )}
      <Group gap="xs">
        <SearchInput
          label={t`Search models`}
          value={filter.search ?? ""}
          onSearch={(search) => set({ search: search || undefined })}
        />
        <SegmentedControl
          aria-label={t`Status`}
          data={[
            { value: "all", label: t`All` },
            { value: "enabled", label: t`Enabled` },
            { value: "disabled", label: t`Disabled` },
            { value: "attention", label: t`Can’t be called` },
          ]}
          value={filter.status ?? "all"}
          onChange={(status) => set({ status: status === "all" ? undefined : status })}
        />
      </Group>
      {models.data?.more && (
        <Alert color="yellow">
          <Trans>Only the first {most} models are shown.</Trans>
        </Alert>
      )}
      <DataTable
        table="operator-models"
        whole
        caption={t`Models`}
        columns={columnsOf()}
        rows={found}
        rowKey={({ model }) => model.id}
        error={models.error}
        retry={() => void models.refetch()}
        faded={({ model }) => model.status !== "enabled"}
        onRowClick={({ model }) => void navigate({ to: "/operator/models/$id", params: { id: model.id } })}
        empty={
          <NoModels
            none={rows?.length === 0}
            create={editor.open}
            reset={() => void navigate({ search: {}, replace: true })}
          />
        }
      />
      <CreateModel opened={creating} close={editor.close} />
      <BulkPrices
        opened={changing}
        close={bulk.close}
        models={models.data?.items ?? []}
        found={found?.map(({ model }) => model) ?? []}
      />
    </Page>
  );
}

function NoModels({ none, create, reset }: { none: boolean; create: () => void; reset: () => void }) {
  return none ? (
    <EmptyState
      icon={IconCpu}
      title={t`No models yet`}
      action={
        <Button onClick={create}>
          <Trans>New model</Trans>
        </Button>
      }
    >
      <Trans>A model has an ID that clients send, and a price. Channels serve it.</Trans>
    </EmptyState>
  ) : (
    <EmptyState
      icon={IconCpu}
      title={t`No matching models`}
      action={
        <Button variant="default" onClick={reset}>
          <Trans>Show all models</Trans>
        </Button>
      }
    />
  );
}

function Name({ row: { model } }: { row: ModelRow }) {
  return (
    <Stack gap={0} miw={0}>
      <AnchorLink
        to="/operator/models/$id"
        params={{ id: model.id }}
        c="inherit"
        fw={500}
        lineClamp={2}
        title={model.id}
      >
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
  if (name === "input" && attention.includes("unpriced"))
    return (
      <Badge color="yellow">
        <Trans>Not priced</Trans>
      </Badge>
    );
  if (name === "input" && model.free && !model.price)
    return (
      <Badge color="green">
        <Trans>Free</Trans>
      </Badge>
    );
  const base = baseOf(name);
  return <span className="dimmed">{base && model.price?.[base] ? impliedPrice(base) : "–"}</span>;
}

function Served({ row: { served, disabled, attention } }: { row: ModelRow }) {
  if (attention.includes("unserved"))
    return (
      <Badge color="yellow">
        {disabled > 0
          ? plural(disabled, { one: "Not served: # channel disabled", other: "Not served: # channels disabled" })
          : t`Not served`}
      </Badge>
    );
  return served > 0 ? (
    <span className="tabular">{plural(served, { one: "# channel", other: "# channels" })}</span>
  ) : (
    <span className="dimmed">
      <Trans>None</Trans>
    </span>
  );
}
