import { t } from "@lingui/core/macro";
import { Select, Stack, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { showUsd } from "@/format/money";

type VisibleModel = Schema<"VisibleModel">;

/** Returns the caller's price of a model, such as "$0.15 in, $0.60 out per 1M tokens". */
export function priceLine(model: VisibleModel): string {
  if (model.free) return t`Free`;
  const of = (name: string) => {
    const price = model.effective.find((one) => one.class === name)?.price;
    return price && showUsd(price);
  };
  const request = of("request");
  return [tokenPrice(of("input"), of("output")), request && t`${request} per request`].filter(Boolean).join(" + ");
}

function tokenPrice(input: string | undefined, output: string | undefined): string | undefined {
  if (input && output) return t`${input} in, ${output} out per 1M tokens`;
  if (input) return t`${input} in per 1M tokens`;
  return output && t`${output} out per 1M tokens`;
}

interface SelectProps {
  label: string;
  models: VisibleModel[] | undefined;
  value: string;
  onChange: (id: string) => void;
}

/** A select field for a model, with the caller's price of each model. */
export function ModelSelect({ label, models, value, onChange }: SelectProps) {
  const chosen = models?.find((model) => model.id === value);
  return (
    <Select
      label={label}
      placeholder={models ? t`Choose a model` : t`Loading`}
      searchable
      allowDeselect={false}
      limit={200}
      maxDropdownHeight={360}
      nothingFoundMessage={t`No models match your search`}
      data={models?.map((model) => model.id) ?? []}
      value={value || null}
      onChange={(id) => id && onChange(id)}
      description={chosen && priceLine(chosen)}
      inputWrapperOrder={["label", "input", "description"]}
      renderOption={({ option }) => {
        const model = models?.find((one) => one.id === option.value);
        return (
          <Stack gap={0} miw={0}>
            <Text size="sm" className="mono" style={{ overflowWrap: "anywhere" }}>
              {option.value}
            </Text>
            {model && (
              <Text size="xs" c="dimmed">
                {priceLine(model)}
              </Text>
            )}
          </Stack>
        );
      }}
    />
  );
}
