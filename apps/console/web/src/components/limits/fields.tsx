import { t } from "@lingui/core/macro";
import { Fieldset, NumberInput, SimpleGrid, Stack, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";

import { AmountInput } from "@/components/form";

import { type LimitValues, budgetFields, type BudgetValues, rateLimitFields, type RateLimitValues } from "./limits";

/** Shows the fields of the budgets per day, week and month, and when these begin. An empty field means no budget. */
export function BudgetInputs<Values extends BudgetValues>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {budgetFields.map(({ name, label }) => (
          <AmountInput key={name} label={label} placeholder={t`Unlimited`} {...form.getInputProps(name)} />
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed">{t`Days start at midnight UTC, weeks on Monday, and months on the first day.`}</Text>
    </Stack>
  );
}

/** Shows the fields of the rate limits. An empty field means unlimited. `about` describes which calls are limited. */
export function RateLimitFields<Values extends RateLimitValues>({
  form,
  about,
}: {
  form: UseFormReturnType<Values>;
  about?: string;
}) {
  return (
    <Fieldset legend={t`Rate limits`} variant="filled">
      {about && (
        <Text size="sm" c="dimmed" mb="sm">
          {about}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        {rateLimitFields.map(({ name, label }) => (
          <NumberInput
            key={name}
            label={label}
            placeholder={t`Unlimited`}
            min={0}
            max={1_000_000_000}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

/** Shows the fields of a quota and its budgets. `about` describes the quota. */
export function QuotaFields<Values extends LimitValues>({
  form,
  about,
}: {
  form: UseFormReturnType<Values>;
  about: string;
}) {
  return (
    <Fieldset legend={t`Quota in USD`} variant="filled">
      <Stack gap="sm">
        <AmountInput label={t`Total`} placeholder={t`Unlimited`} description={about} {...form.getInputProps("quota")} />
        <BudgetInputs form={form} />
      </Stack>
    </Fieldset>
  );
}

/** Shows the fields of all limits of a user. */
export function LimitFields<Values extends LimitValues>({ form }: { form: UseFormReturnType<Values> }) {
  return (
    <>
      <QuotaFields form={form} about={t`The total amount that all tokens of the user can spend.`} />
      <RateLimitFields form={form} />
    </>
  );
}
