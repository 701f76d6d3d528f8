import { Anchor, Badge, Group } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { isOperator, useIdentity } from "@/api/session";
import { DataTable, type Column } from "@/components/DataTable";
import { Page } from "@/components/Page";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { EffectivePrice } from "@/components/usage/EffectivePrice";
import { Copyable } from "@/components/values";
import { showCount } from "@/format/number";
import { showUsd } from "@/format/money";

type VisibleModel = Schema<"VisibleModel">;

/** Shows the price of one class of a model, per million tokens or per request. */
const price = (model: VisibleModel, name: string) => <EffectivePrice model={model} name={name} show={showUsd} />;

const columns: Column<VisibleModel>[] = [
  { header: "Model", cell: (model) => <Group gap="xs"><Copyable value={model.id} label="model" />{model.free && <Badge color="green">Free</Badge>}</Group> },
  { header: "Owned by", cell: (model) => model.owned_by, secondary: true },
  { header: "Input / 1M", align: "right", cell: (model) => price(model, "input") },
  { header: "Cached input / 1M", align: "right", cell: (model) => price(model, "cached_input"), secondary: true },
  { header: "Output / 1M", align: "right", cell: (model) => price(model, "output") },
  { header: "Per request", align: "right", cell: (model) => price(model, "request"), secondary: true },
  { header: "Most output tokens", align: "right", cell: (model) => showCount(model.max_output), secondary: true },
];

/** Shows the models that the caller's group may call, with the caller's prices. */
export function Models() {
  const identity = useIdentity();
  const [search, setSearch] = useState("");
  const query = useQuery({ queryKey: ["models"], queryFn: () => ask(api.GET("/api/models")), enabled: !isOperator(identity) });
  const models = query.data?.items.filter((model) => `${model.id} ${model.owned_by}`.toLowerCase().includes(search.toLowerCase()));
  return (
    <Page title="Models & prices" description="What your group may call, and what you pay: USD per 1M tokens, and per request.">
      <SearchInput label="Search models" value={search} onSearch={setSearch} />
      <DataTable
        caption="Models"
        columns={columns}
        rows={models}
        rowKey={(model) => model.id}
        error={query.error}
        retry={() => void query.refetch()}
        empty={
          <EmptyState icon={IconCpu} title={search ? "No model has this in its name" : "No models yet"}>
            {search ? <Anchor component="button" onClick={() => setSearch("")}>Show all models</Anchor> : "The operator has not given your group any model that is served and priced."}
          </EmptyState>
        }
      />
    </Page>
  );
}
