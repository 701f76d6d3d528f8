import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Button, Group as Row } from "@mantine/core";
import { IconCpu } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Schema } from "@/api/client";
import { DataTable, type Column } from "@/components/DataTable";
import { AnchorLink } from "@/components/links";
import { SearchInput } from "@/components/SearchInput";
import { showExact } from "@/format/money";
import { EmptyState } from "@/components/states";
import { EffectivePrice } from "@/components/usage/EffectivePrice";
import { visibleQuery, type Group } from "@/pages/operator/catalog/queries";

import type { RuleTerms } from "./rules";

type Visible = Schema<"VisibleModel">;

const step = 50;

const priceCell = (model: Visible, name: string) => <EffectivePrice model={model} name={name} show={showExact} />;

/** Lists the models that users of the group may call, with their prices. */
export function VisibleModels({ group, change }: { group: Group; change: (rule: RuleTerms) => void }) {
  const visible = useQuery(visibleQuery(group.id));
  const [search, setSearch] = useState("");
  const [shown, setShown] = useState(step);
  const found = visible.data?.items.filter(({ id, owned_by }) =>
    `${id} ${owned_by}`.toLowerCase().includes(search.toLowerCase()),
  );
  const columns: Column<Visible>[] = [
    { id: "model", header: t`Model`, width: "34%", cell: (model) => <Name model={model} /> },
    { id: "input_1m", header: t`Input / 1M`, align: "right", cell: (model) => priceCell(model, "input") },
    {
      id: "cached_1m",
      header: t`Cached / 1M`,
      align: "right",
      cell: (model) => priceCell(model, "cached_input"),
      secondary: true,
    },
    { id: "output_1m", header: t`Output / 1M`, align: "right", cell: (model) => priceCell(model, "output") },
    { id: "per_request", header: t`Per request`, align: "right", cell: (model) => priceCell(model, "request") },
    {
      id: "actions",
      actions: true,
      header: t`Actions`,
      width: 100,
      align: "right",
      cell: ({ id, multiplier, fixed }) => (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t`Override the price of ${id}`}
          onClick={() => change({ model: id, multiplier, fixed })}
        >
          <Trans>Override</Trans>
        </Button>
      ),
    },
  ];
  return (
    <>
      {(visible.data?.items.length ?? 0) > 10 && (
        <SearchInput label={t`Search models`} value={search} onSearch={setSearch} />
      )}
      <DataTable
        caption={t`Visible models`}
        columns={columns}
        rows={found?.slice(0, shown)}
        rowKey={({ id }) => id}
        error={visible.error}
        retry={() => void visible.refetch()}
        skeletonRows={4}
        empty={
          <EmptyState icon={IconCpu} title={search ? t`No matching models` : t`No visible models`}>
            {search
              ? undefined
              : t`A model is visible if the group allows it and the model is enabled, priced and served.`}
          </EmptyState>
        }
        footer={
          found &&
          found.length > shown && (
            <Row px="md" py="xs" justify="flex-end">
              <Button size="xs" variant="default" onClick={() => setShown(shown + step)}>
                <Trans>Show more</Trans>
              </Button>
            </Row>
          )
        }
      />
    </>
  );
}

function Name({ model }: { model: Visible }) {
  return (
    <Row gap={6}>
      <AnchorLink
        to="/operator/models/$id"
        params={{ id: model.id }}
        c="inherit"
        className="mono"
        lineClamp={2}
        title={model.id}
      >
        {model.id}
      </AnchorLink>
      {model.free && (
        <Badge color="green">
          <Trans>Free</Trans>
        </Badge>
      )}
      {model.fixed && (
        <Badge color="blue">
          <Trans>Fixed price</Trans>
        </Badge>
      )}
      {!model.fixed && model.multiplier !== "1" && <Badge color="gray">× {model.multiplier}</Badge>}
    </Row>
  );
}
