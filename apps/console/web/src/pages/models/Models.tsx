import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Badge, Group } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";

import { api, ask, type Schema } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { readWhole } from "@/api/whole";
import { DataTable, type Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { Page } from "@/components/Page";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { EffectivePrice } from "@/components/usage/EffectivePrice";
import { showCount } from "@/format/number";
import { showExact } from "@/format/money";

import { modalitiesOf } from "./facts";

const route = getRouteApi("/signed-in/models");

type VisibleModel = Schema<"VisibleModel">;

/** The price of one class, above which a tier or a service tier can have others. */
const plain = (model: VisibleModel, name: string) =>
  model.effective.find((effective) => effective.class === name)?.price;

/** A column of the prices of one class. */
const priceColumn = (
  id: string,
  header: string,
  name: string,
  layout: Partial<Column<VisibleModel>> = {},
): Column<VisibleModel> => ({
  id,
  header,
  align: "right",
  value: (model) => plain(model, name),
  sortBy: (model) => (plain(model, name) === undefined ? undefined : Number(plain(model, name))),
  cell: (model) => <EffectivePrice model={model} name={name} show={showExact} />,
  ...layout,
});

/** Shows a number of tokens, or a dash if it is not stated. */
const countOf = (tokens: number) => (tokens > 0 ? showCount(tokens) : <span className="dimmed">–</span>);

const columnsOf = (): Column<VisibleModel>[] => [
  {
    id: "model",
    header: t`Model`,
    value: (model) => model.id,
    cell: (model) => (
      <Group gap="xs">
        <AnchorLink to="/models/$id" params={{ id: model.id }} c="inherit" fw={500} className="mono">
          {model.id}
        </AnchorLink>
        {model.free && (
          <Badge color="green">
            <Trans>Free</Trans>
          </Badge>
        )}
      </Group>
    ),
  },
  {
    id: "owned_by",
    header: t`Owned by`,
    value: (model) => model.owned_by,
    cell: (model) => model.owned_by,
    secondary: true,
  },
  priceColumn("input_1m", t`Input / 1M`, "input"),
  priceColumn("cached_input_1m", t`Cached input / 1M`, "cached_input", { secondary: true }),
  priceColumn("output_1m", t`Output / 1M`, "output"),
  priceColumn("per_request", t`Per request`, "request"),
  {
    id: "context_length",
    header: t`Context`,
    align: "right",
    value: (model) => model.context_length || undefined,
    cell: (model) => countOf(model.context_length),
    secondary: true,
  },
  {
    id: "max_output_tokens",
    header: t`Max output tokens`,
    align: "right",
    value: (model) => (model.max_output_stated ? model.max_output : undefined),
    cell: (model) => countOf(model.max_output_stated ? model.max_output : 0),
    secondary: true,
  },
  {
    id: "modalities",
    header: t`Modalities`,
    optional: true,
    value: (model) => `${model.modalities.input.join(" ")} > ${model.modalities.output.join(" ")}`,
    cell: (model) => `${modalitiesOf(model.modalities.input)} → ${modalitiesOf(model.modalities.output)}`,
  },
];

/** Shows the models that the caller's group may call, with the caller's prices. */
export function Models() {
  const identity = useIdentity();
  const { search = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const setSearch = (text: string) => void navigate({ search: { search: text || undefined }, replace: true });
  const columns = useMemo(columnsOf, []);
  const query = useQuery({
    queryKey: ["models"],
    queryFn: () => readWhole((query) => ask(api.GET("/api/models", { params: { query } }))),
    enabled: !isOperator(identity),
  });
  const models = query.data?.items.filter((model) =>
    `${model.id} ${model.owned_by}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <Page
      wide
      title={t`Models & prices`}
      description={t`The models that you can call, and your prices in USD per 1M tokens and per request.`}
    >
      <SearchInput label={t`Search models`} value={search} onSearch={setSearch} />
      <DataTable
        table="models"
        whole
        caption={t`Models`}
        columns={columns}
        rows={models}
        rowKey={(model) => model.id}
        onRowClick={(model) => void navigate({ to: "/models/$id", params: { id: model.id } })}
        error={query.error}
        retry={() => void query.refetch()}
        empty={
          <EmptyState icon={IconCpu} title={search ? t`No models match your search` : t`No models yet`}>
            {search ? (
              <Anchor component="button" onClick={() => setSearch("")}>
                <Trans>Show all models</Trans>
              </Anchor>
            ) : (
              t`Your group has no models that have a channel and a price. Ask your operator.`
            )}
          </EmptyState>
        }
      />
    </Page>
  );
}
