import { Badge, Button, Group as Row } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { SearchInput } from "@/components/SearchInput";
import { EmptyState } from "@/components/states";
import { EffectivePrice } from "@/components/usage/EffectivePrice";
import { visibleQuery, type Group } from "@/pages/operator/catalog/queries";
import { showExact } from "@/pages/operator/catalog/rates";

type Visible = Schema<"VisibleModel">;

const step = 50;

const priceCell = (model: Visible, name: string) => <EffectivePrice model={model} name={name} show={showExact} />;

/** Lists the models that users of the group may call, with their prices. */
export function VisibleModels({ group, change }: { group: Group; change: (model: string) => void }) {
  const visible = useQuery(visibleQuery(group.id));
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState(step);
  const found = visible.data?.items.filter(({ id, owned_by }) => `${id} ${owned_by}`.toLowerCase().includes(search.toLowerCase()));
  const columns: Column<Visible>[] = [
    { header: "Model", width: "34%", cell: (model) => <Name model={model} /> },
    { header: "Input / 1M", align: "right", cell: (model) => priceCell(model, "input") },
    { header: "Cached / 1M", align: "right", cell: (model) => priceCell(model, "cached_input"), secondary: true },
    { header: "Output / 1M", align: "right", cell: (model) => priceCell(model, "output") },
    { header: "Per request", align: "right", cell: (model) => priceCell(model, "request") },
    { header: "Actions", width: 100, align: "right", cell: ({ id }) => <Button size="compact-sm" variant="subtle" aria-label={`Override the price of ${id}`} onClick={() => change(id)}>Override</Button> },
  ];
  return (
    <>
      {(visible.data?.items.length ?? 0) > 10 && <SearchInput label="Search models" value={search} onSearch={setSearch} />}
      <DataTable
        caption="Models that the group sees" columns={columns} rows={found?.slice(0, shown)} rowKey={({ id }) => id} error={visible.error} retry={() => void visible.refetch()} skeletonRows={4}
        empty={<EmptyState icon={IconCpu} title={search ? "No model has this in its name" : "Its users see no model"}>{search ? undefined : "A model shows where the group covers it, and it is enabled, priced and served."}</EmptyState>}
        footer={found && found.length > shown && <Row px="md" py="xs" justify="flex-end"><Button size="xs" variant="default" onClick={() => setShown(shown + step)}>Show more</Button></Row>}
      />
    </>
  );
}

function Name({ model }: { model: Visible }) {
  return (
    <Row gap={6}>
      <AnchorLink to="/operator/models/$id" params={{ id: model.id }} c="inherit" className="mono" lineClamp={2} title={model.id}>
        {model.id}
      </AnchorLink>
      {model.free && <Badge color="green">Free</Badge>}
      {model.fixed && <Badge color="blue">Fixed</Badge>}
      {!model.fixed && model.multiplier !== "1" && <Badge color="gray">× {model.multiplier}</Badge>}
    </Row>
  );
}
