import { t } from "@lingui/core/macro";
import { MultiSelect, NumberInput, SimpleGrid } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { modalities, modalityName } from "@/components/modalities";

import type { FactValues } from "./facts";

/** Shows the fields of what a model can read and write. `bound` describes the bound of the output. */
export function FactFields<Values extends FactValues>({
  form,
  bound,
}: {
  form: UseFormReturnType<Values>;
  bound: string;
}) {
  const data = modalities.map((modality) => ({ value: modality, label: modalityName(modality) }));
  return (
    <>
      <NumberInput
        label={t`Max output tokens`}
        description={bound}
        placeholder={t`Default`}
        min={0}
        max={1_000_000_000}
        allowDecimal={false}
        thousandSeparator=","
        hideControls
        {...form.getInputProps("max_output")}
      />
      <NumberInput
        label={t`Context length`}
        description={t`Max tokens of input and output together. Clients see it in the list of models.`}
        placeholder={t`Unknown`}
        min={0}
        max={1_000_000_000}
        allowDecimal={false}
        thousandSeparator=","
        hideControls
        {...form.getInputProps("context_length")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <MultiSelect
          label={t`Input modalities`}
          placeholder={form.getValues().input.length ? undefined : t`Unknown`}
          data={data}
          {...form.getInputProps("input")}
        />
        <MultiSelect
          label={t`Output modalities`}
          placeholder={form.getValues().output.length ? undefined : t`Unknown`}
          data={data}
          {...form.getInputProps("output")}
        />
      </SimpleGrid>
    </>
  );
}
