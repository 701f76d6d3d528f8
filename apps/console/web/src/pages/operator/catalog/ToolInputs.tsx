import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, SimpleGrid, Stack, Text } from "@mantine/core";
import { useId, useState } from "react";

import { AmountInput, amountFault } from "@/components/form";
import { tools } from "@/components/usage/classes";

import { labelWithUnit } from "./labels";
import type { ToolValues } from "./rates";

interface ToolInputsProps {
  values: ToolValues;
  onChange: (values: ToolValues) => void;
}

/** Shows the prices of tools that the provider runs, on demand if there are none. */
export function ToolInputs({ values, onChange }: ToolInputsProps) {
  const title = useId();
  const used = tools.some(({ name }) => values[name] !== "");
  const [opened, setOpened] = useState(used);
  const [asked, setAsked] = useState(false);
  const show = () => {
    setOpened(true);
    setAsked(true);
  };
  if (!opened && !used)
    return (
      <Button variant="subtle" size="xs" w="fit-content" onClick={show}>
        <Trans>Tools that the provider runs</Trans>
      </Button>
    );
  return (
    <Stack gap="xs" role="group" aria-labelledby={title}>
      <Text size="sm" fw={500} id={title}>
        <Trans>Tools that the provider runs</Trans>
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {tools.map(({ name }, i) => (
          <AmountInput
            key={name}
            label={labelWithUnit(name)}
            placeholder={name === "image_generation_image_input" ? t`Same as text in` : t`None`}
            value={values[name]}
            error={amountFault(values[name])}
            autoFocus={asked && i === 0} // the button that had the focus is gone
            onChange={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
