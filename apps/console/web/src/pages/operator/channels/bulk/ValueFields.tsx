import { t } from "@lingui/core/macro";
import { MultiSelect, NumberInput, SimpleGrid, Stack } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import type { Channel } from "@/pages/operator/catalog/queries";
import { tagsOf } from "@/pages/operator/channels/tags";
import { TagsField } from "@/pages/operator/channels/TagsField";

import type { Values } from "./fields";

/** The fields for priority and weight. */
export function WeightFields({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <NumberInput
        label={t`Priority`}
        description={t`Lower numbers are tried first.`}
        placeholder={t`Unchanged`}
        allowDecimal={false}
        data-autofocus
        {...form.getInputProps("priority")}
      />
      <NumberInput
        label={t`Weight`}
        description={t`Share of the calls within the priority.`}
        placeholder={t`Unchanged`}
        allowDecimal={false}
        min={1}
        {...form.getInputProps("weight")}
      />
    </SimpleGrid>
  );
}

/** The fields for tags to add, and for tags of the channels to remove. */
export function TagFields({ form, channels }: { form: UseFormReturnType<Values>; channels: readonly Channel[] }) {
  const tags = tagsOf(channels);
  return (
    <Stack gap="sm">
      <TagsField label={t`Add tags`} data-autofocus {...form.getInputProps("add")} />
      <MultiSelect
        label={t`Remove tags`}
        placeholder={form.values.remove.length > 0 ? undefined : tags.length > 0 ? t`Choose tags` : t`No tags`}
        data={tags}
        disabled={tags.length === 0}
        clearable
        searchable
        nothingFoundMessage={t`No matching tags`}
        {...form.getInputProps("remove")}
      />
    </Stack>
  );
}
