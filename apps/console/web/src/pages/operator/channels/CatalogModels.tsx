import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Badge, Card, Checkbox, Group, Select, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { isTokenValue } from "@/api/tokenValue";
import { emptyText } from "@/components/emptyText";
import { type Entry, showMore, showRates } from "@/pages/operator/price-catalog/entries";
import { entriesQuery } from "@/pages/operator/price-catalog/queries";

import type { ChannelValues } from "./channelForm";
import { confirmationsOf, type OfferedModel, providerOf, withOffer } from "./offers";

interface CatalogModelsProps {
  form: UseFormReturnType<ChannelValues>;
  offered: OfferedModel[];
}

const confirmations: Record<Entry["confirm"][number], MessageDescriptor> = {
  unverified: msg`I have compared the prices marked “Not checked” with their sources`,
  zero: msg`A rate of zero is right for these models`,
};

/** Adds models with the prices of the price catalog to a new channel. */
export function CatalogModels({ form, offered }: CatalogModelsProps) {
  const needed = confirmationsOf(offered);
  return (
    <Stack gap="sm">
      <EntrySelect form={form} />
      {offered.map((model) => (
        <OfferCard key={model.offer.row} {...model} />
      ))}
      {needed.length > 0 && (
        <Checkbox.Group
          aria-label={t`Confirm the prices`}
          {...form.getInputProps("confirmed")}
          onChange={(words) =>
            form.setFieldValue(
              "confirmed",
              needed.filter((word) => words.includes(word)),
            )
          }
        >
          <Stack gap={6}>
            {needed.map((word) => (
              <Checkbox key={word} value={word} label={i18n._(confirmations[word])} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </Stack>
  );
}

function EntrySelect({ form }: Pick<CatalogModelsProps, "form">) {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), 200);
  const found = useQuery({ ...entriesQuery(text, providerOf(form.values)), enabled: !isTokenValue(text) });
  const entries = found.data?.items ?? [];
  const add = (id: string | null) => {
    const entry = entries.find((one) => one.id === id);
    if (entry && found.data) form.setValues(withOffer(form.values, entry, found.data.sha256));
    form.clearFieldError("models");
    setTyped("");
  };
  return (
    <Select
      label={t`Add from the price catalog`}
      description={t`A model that does not exist yet is created with the public price of its provider. Your contract may have another price.`}
      placeholder={t`Search models and providers`}
      searchable
      value={null}
      onChange={add}
      searchValue={typed}
      onSearchChange={setTyped}
      data={entries.map(({ id }) => ({ value: id, label: id }))}
      filter={({ options }) => options}
      maxDropdownHeight={320}
      nothingFoundMessage={emptyText(found, t`No matching models in the price catalog`)}
      renderOption={({ option }) => {
        const entry = entries.find(({ id }) => id === option.value);
        return (
          <Stack gap={0}>
            <Group gap="xs">
              <Text size="sm">{option.value}</Text>
              {entry?.checked === false && <NotChecked />}
            </Group>
            <Text size="xs" c="dimmed">
              {entry && showRates(entry.price)}
            </Text>
          </Stack>
        );
      }}
    />
  );
}

const NotChecked = () => (
  <Badge color="yellow" size="sm">
    <Trans>Not checked</Trans>
  </Badge>
);

function OfferCard({ model, exists, offer: { entry } }: OfferedModel) {
  const more = showMore(entry.price);
  const rates = showRates(entry.price);
  const { read, source } = entry;
  const host = new URL(source).hostname;
  if (exists) {
    return (
      <Card withBorder padding="sm" role="group" aria-label={model}>
        <Text size="sm">
          <Trans>
            <b>{model}</b> exists already and keeps its price.
          </Trans>
        </Text>
      </Card>
    );
  }
  return (
    <Card withBorder padding="sm" role="group" aria-label={model}>
      <Stack gap={2}>
        <Group gap="xs">
          <Text size="sm">
            <Trans>
              <b>{model}</b> is new: {rates}
            </Trans>
          </Text>
          {!entry.checked && <NotChecked />}
        </Group>
        {more && (
          <Text size="xs" c="dimmed">
            <Trans>Also priced: {more}.</Trans>
          </Text>
        )}
        {entry.note && (
          <Text size="xs" c="dimmed">
            {entry.note}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          <Trans>
            Read on {read} from{" "}
            <Anchor href={source} target="_blank" rel="noreferrer" size="xs">
              {host}
            </Anchor>
            .
          </Trans>
        </Text>
      </Stack>
    </Card>
  );
}
