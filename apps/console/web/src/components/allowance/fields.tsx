import { Fieldset, NumberInput, SimpleGrid, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { AmountInput } from "@/components/form";

import { type AllowanceValues, capFields, type CapValues, limitFields, type LimitValues } from "./allowance";

/** The fields of caps on days, weeks and months; empty is uncapped. */
export function CapInputs<Values extends CapValues>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      {capFields.map(({ name, label }) => (
        <AmountInput key={name} label={label} placeholder="Unlimited" {...form.getInputProps(name)} />
      ))}
    </SimpleGrid>
  );
}

/** The fields of rate limits; empty is unlimited. `about` says whose calls they hold for. */
export function LimitFields<Values extends LimitValues>({ form, about }: { form: UseFormReturnType<Values>; about?: string }) {
  return (
    <Fieldset legend="Limits" variant="filled">
      {about && <Text size="sm" c="dimmed" mb="sm">{about}</Text>}
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {limitFields.map(({ name, label }) => (
          <NumberInput
            key={name} label={label} placeholder="Unlimited" min={0} max={1_000_000_000} allowDecimal={false} allowNegative={false} thousandSeparator="," hideControls
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

/** The fields for what may be spent: in all, as `about` says, and in a day, a week or a month. */
export function QuotaFields<Values extends AllowanceValues>({ form, about }: { form: UseFormReturnType<Values>; about: string }) {
  return (
    <Fieldset legend="Quota in USD" variant="filled">
      <Stack gap="sm">
        <AmountInput label="In all" placeholder="Unlimited" description={about} {...form.getInputProps("quota")} />
        <CapInputs form={form} />
      </Stack>
    </Fieldset>
  );
}

/** The fields for what a user may spend and how fast. */
export function AllowanceFields<Values extends AllowanceValues>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <>
      <QuotaFields form={form} about="The most that all tokens of the user may spend together." />
      <LimitFields form={form} />
    </>
  );
}
