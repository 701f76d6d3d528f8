import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Checkbox, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { Drawer } from "@/components/dialog";
import { limitNames, rateLimitsOf, noRateLimits } from "@/components/limits/limits";
import { RateLimitFields } from "@/components/limits/fields";
import { applyProblem, FormButtons, FormError } from "@/components/form";
import { useUnsaved } from "@/components/unsaved";
import { PriceInputs } from "@/pages/operator/catalog/PriceInputs";
import { chargesSomething, priceFault, priceOf, priceValues } from "@/pages/operator/catalog/rates";

import { FactFields } from "./FactFields";
import { factNames, factsOf, noFacts } from "./facts";
import { Offers } from "./Offers";

/** Shows the form of a new model with its first price. */
export function CreateModel({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={560}
      title={t`New model`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Form close={close} />
    </Drawer>
  );
}

const initialValues = { id: "", owned_by: "", ...noFacts, free: false, price: priceValues(undefined), ...noRateLimits };

/** Returns the form values of an entry of the price catalog. */
const valuesOf = ({ provider, price, max_output_tokens, context_length, modalities }: Schema<"Entry">) => ({
  owned_by: provider,
  price: priceValues(price),
  max_output: max_output_tokens || "",
  context_length: context_length || "",
  input: modalities.input,
  output: modalities.output,
});

function Form({ close }: { close: () => void }) {
  const form = useForm({
    initialValues,
    validate: {
      id: (id) => (id.trim() ? null : t`Enter the model ID that clients will send.`),
      owned_by: (owner) => (owner.trim() ? null : t`Enter the owner, such as openai.`),
      price: (price, { free }) => faultOf(price, free),
    },
  });
  useUnsaved(form);
  const [problem, setProblem] = useState<unknown>();
  const create = useCreate(close);
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    create.mutate(values, {
      onError: (error) => setProblem(applyProblem(form, error, { ...limitNames, ...factNames })),
    });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={problem} />
        <Stack gap="sm">
          <TextInput
            label={t`Model ID`}
            withAsterisk
            description={t`The value that clients send as “model”.`}
            placeholder="gpt-4o-mini" // not translated: the id of a model
            maxLength={200}
            data-autofocus
            {...form.getInputProps("id")}
          />
          <Offers model={form.values.id} use={(offer) => form.setValues(valuesOf(offer))} />
          <TextInput
            label={t`Owned by`}
            placeholder="openai" // not translated: the name of a company
            maxLength={200}
            {...form.getInputProps("owned_by")}
          />
          <FactFields
            form={form}
            bound={t`Per answer. This many tokens are reserved for each request. Leave empty for a default.`}
          />
        </Stack>
        <Stack gap="xs">
          <Title order={3}>
            <Trans>Price</Trans>
          </Title>
          <Text size="sm" c="dimmed">
            <Trans>USD per 1M tokens and per request. Takes effect at once.</Trans>
          </Text>
          <PriceInputs values={form.values.price} onChange={(price) => form.setFieldValue("price", price)} />
          {form.errors["price"] && (
            <Text size="sm" c="var(--tollgate-bad)" role="alert">
              {form.errors["price"]}
            </Text>
          )}
          <Checkbox label={t`Free (a price is optional)`} {...form.getInputProps("free", { type: "checkbox" })} />
        </Stack>
        <RateLimitFields
          about={t`For all requests of one tenant together. Each tenant has its own limits.`}
          form={form}
        />
        <FormButtons cancel={close} pending={create.isPending}>
          <Trans>Create model</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}

function faultOf(price: typeof initialValues.price, free: boolean): string | null {
  const fault = priceFault(price);
  if (fault) return fault;
  return free || chargesSomething(priceOf(price)) ? null : t`Enter a price, or mark the model as free.`;
}

function useCreate(close: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (values: typeof initialValues) =>
      ask(
        api.POST("/api/operator/models", {
          body: {
            id: values.id.trim(),
            owned_by: values.owned_by.trim(),
            status: "enabled",
            routing: "weighted",
            free: values.free,
            max_output: Number(values.max_output),
            ...factsOf(values),
            price: priceOf(values.price),
            limits: rateLimitsOf(values),
          },
        }),
      ),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      notifications.show({
        color: "green",
        message: t`Model ${id} created. Clients can call it once a channel serves it.`,
      });
      await navigate({ to: "/operator/models/$id", params: { id } });
    },
  });
}
