import { Button, SimpleGrid, Stack } from "@mantine/core";
import { useState, type ReactNode } from "react";

import { AmountInput, amountFault } from "@/components/form";
import { classes, labelOf, type RateName } from "@/components/usage/classes";

import type { RateValues } from "./rates";

interface RateInputsProps {
  values: RateValues;
  onChange: (name: RateName, value: string) => void;
  /** The API's error texts by class. */
  errors?: Partial<Record<RateName, ReactNode>>;
}

/** The number of classes at the start of `classes` that are always shown. */
const common = 4;

/** Shows the fields of a price: the four usual classes, and the other classes on demand. */
export function RateInputs({ values, onChange, errors }: RateInputsProps) {
  const used = classes.slice(common).some(({ name }) => values[name] !== "" || errors?.[name]);
  const [opened, setOpened] = useState(used);
  const shown = opened || used ? classes : classes.slice(0, common);
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {shown.map(({ name, label, base }) => (
          <AmountInput
            key={name} label={name === "request" ? "Per request" : `${label} / 1M tokens`} placeholder={base ? `As ${labelOf(base).toLowerCase()}` : "None"}
            value={values[name]} error={errors?.[name] ?? amountFault(values[name])} onChange={(event) => onChange(name, event.currentTarget.value)}
          />
        ))}
      </SimpleGrid>
      {shown.length < classes.length && (
        <Button variant="subtle" size="xs" w="fit-content" onClick={() => setOpened(true)}>
          Cache writes, reasoning, audio and images
        </Button>
      )}
    </Stack>
  );
}
