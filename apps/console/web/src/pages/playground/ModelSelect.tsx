import { Select, Stack, Text } from "@mantine/core";

import type { Schema } from "@/api/client";
import { showUsd } from "@/format/money";

type VisibleModel = Schema<"VisibleModel">;

/** Returns the caller's price of a model, such as "$0.15 in, $0.60 out per 1M tokens". */
export function priceLine(model: VisibleModel): string {
  if (model.free) return "Free";
  const of = (name: string) => model.effective.find((price) => price.class === name)?.price;
  const [input, output, request] = [of("input"), of("output"), of("request")];
  const tokens = [input && `${showUsd(input)} in`, output && `${showUsd(output)} out`].filter(Boolean).join(", ");
  return [tokens && `${tokens} per 1M tokens`, request && `${showUsd(request)} per request`].filter(Boolean).join(" + ");
}

/** A select field for a model, with the caller's price of each model. */
export function ModelSelect({ models, value, onChange }: { models: VisibleModel[] | undefined; value: string; onChange: (id: string) => void }) {
  const chosen = models?.find((model) => model.id === value);
  return (
    <Select
      label="Model"
      placeholder={models ? "Choose a model" : "Loading"}
      searchable
      allowDeselect={false}
      limit={200}
      maxDropdownHeight={360}
      nothingFoundMessage="No model has this in its name"
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
