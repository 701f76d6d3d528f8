import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Autocomplete, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { Drawer } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import type { Channel } from "@/pages/operator/catalog/queries";
import { PriceInputs } from "@/pages/operator/catalog/PriceInputs";
import { isMultiplier, priceFault, priceOf, priceValues } from "@/pages/operator/catalog/rates";
import { momentOf, whenFault } from "@/pages/operator/catalog/when";
import { WhenField } from "@/pages/operator/catalog/WhenField";

/** Shows the form of a new version of what the channel's upstream charges for one model. */
export function CostEditor({ opened, close, channel }: { opened: boolean; close: () => void; channel: Channel }) {
  const { name } = channel;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={620}
      title={t`Add costs of ${name}`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Form close={close} channel={channel} />
    </Drawer>
  );
}

function Form({ close, channel }: { close: () => void; channel: Channel }) {
  const client = useQueryClient();
  const models = [...new Set(Object.values(channel.models))].toSorted();
  const form = useForm({
    initialValues: {
      model: models.length === 1 ? (models[0] ?? "") : "",
      factor: "1",
      rates: priceValues(undefined),
      when: null as string | null,
    },
    validate: {
      model: (model) => (model.trim() ? null : t`Enter the ID of the model at the upstream.`),
      factor: (factor) => (isMultiplier(factor) ? null : t`Enter a decimal, such as 0.9.`),
      rates: (rates) =>
        priceFault(rates) ??
        (Object.keys(priceOf(rates)).length > 0
          ? null
          : t`Enter at least one price. A price of 0 means that it costs nothing.`),
      when: (when) => whenFault(when),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ model, factor, rates, when }: typeof form.values) => {
      const effective_from = momentOf(when);
      return ask(
        api.POST("/api/operator/channels/{id}/costs", {
          params: { path: { id: channel.id } },
          body: {
            upstream_model: model.trim(),
            factor: factor.trim(),
            rates: priceOf(rates),
            ...(effective_from && { effective_from }),
          },
        }),
      );
    },
    names: { upstream_model: "model", effective_from: "when" },
    done: async (_, values) => {
      const model = values.model.trim();
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      notifications.show({
        color: "green",
        message: values.when === null ? t`Costs of ${model} saved.` : t`Costs of ${model} scheduled.`,
      });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={error} />
        <Autocomplete
          label={t`Upstream model`}
          description={t`The ID of the model at the upstream.`}
          data={models}
          maxLength={200}
          data-autofocus
          {...form.getInputProps("model")}
        />
        <Stack gap="xs">
          <Title order={3}>
            <Trans>List prices of the provider</Trans>
          </Title>
          <PriceInputs values={form.values.rates} onChange={(rates) => form.setFieldValue("rates", rates)} />
          {form.errors["rates"] && (
            <Text size="sm" c="var(--tollgate-bad)" role="alert">
              {form.errors["rates"]}
            </Text>
          )}
        </Stack>
        <TextInput
          label={t`Factor`}
          withAsterisk
          description={t`The part of these prices that you pay, such as 0.9 for a discount of 10%.`}
          leftSection="×"
          inputMode="decimal"
          {...form.getInputProps("factor")}
        />
        <WhenField
          value={form.values.when}
          onChange={(when) => form.setFieldValue("when", when)}
          error={form.errors["when"]}
        />
        <FormButtons cancel={close} pending={pending}>
          {form.values.when === null ? <Trans>Add costs</Trans> : <Trans>Schedule the costs</Trans>}
        </FormButtons>
      </Stack>
    </form>
  );
}
