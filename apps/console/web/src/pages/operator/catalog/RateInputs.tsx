import { Trans } from "@lingui/react/macro";
import { Button, SimpleGrid, Stack } from "@mantine/core";
import { useState, type ReactNode } from "react";

import { AmountInput, amountFault } from "@/components/form";
import { classes, type RateName } from "@/components/usage/classes";

import { impliedPrice, labelWithUnit } from "./labels";
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
  const [asked, setAsked] = useState(false);
  const show = () => {
    setOpened(true);
    setAsked(true);
  };
  const shown = opened || used ? classes : classes.slice(0, common);
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {shown.map(({ name, base }, i) => (
          <AmountInput
            key={name}
            label={labelWithUnit(name)}
            placeholder={impliedPrice(base)}
            autoFocus={asked && i === common} // the button that had the focus is gone
            value={values[name]}
            error={errors?.[name] ?? amountFault(values[name])}
            onChange={(event) => onChange(name, event.currentTarget.value)}
          />
        ))}
      </SimpleGrid>
      {shown.length < classes.length && (
        <Button variant="subtle" size="xs" w="fit-content" onClick={show}>
          <Trans>Cache writes, reasoning, audio and images</Trans>
        </Button>
      )}
    </Stack>
  );
}
