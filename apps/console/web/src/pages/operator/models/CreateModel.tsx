import { Checkbox, Drawer, NumberInput, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { limitNames, rateLimitsOf, noRateLimits } from "@/components/limits/limits";
import { RateLimitFields } from "@/components/limits/fields";
import { applyProblem, FormButtons, FormError } from "@/components/form";
import { PriceInputs } from "@/pages/operator/catalog/PriceInputs";
import { chargesSomething, isValidPrice, priceOf, priceValues } from "@/pages/operator/catalog/rates";

/** Shows the form of a new model with its first price. */
export function CreateModel({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Drawer opened={opened} onClose={close} size={560} title="New model" closeButtonProps={{ "aria-label": "Close" }}>
      <Form close={close} />
    </Drawer>
  );
}

const initialValues = { id: "", owned_by: "", max_output: "" as number | string, free: false, price: priceValues(undefined), ...noRateLimits };

function Form({ close }: { close: () => void }) {
  const form = useForm({
    initialValues,
    validate: {
      id: (id) => (id.trim() ? null : "Give the model an id, as clients will send it."),
      owned_by: (owner) => (owner.trim() ? null : "Say who owns the model, such as openai."),
      price: (price, { free }) => priceFault(price, free),
    },
  });
  const [problem, setProblem] = useState<unknown>();
  const create = useCreate(close);
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    create.mutate(values, { onError: (error) => setProblem(applyProblem(form, error, limitNames)) });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={problem} />
        <Stack gap="sm">
          <TextInput label="Id" description="What clients send as model." placeholder="gpt-4o-mini" maxLength={200} data-autofocus {...form.getInputProps("id")} />
          <TextInput label="Owned by" placeholder="openai" maxLength={200} {...form.getInputProps("owned_by")} />
          <NumberInput label="Most output tokens" description="Of one answer; quota is held for as many." placeholder="A default" min={0} max={1_000_000_000} allowDecimal={false} thousandSeparator="," hideControls {...form.getInputProps("max_output")} />
        </Stack>
        <Stack gap="xs">
          <Title order={3}>Price</Title>
          <Text size="sm" c="dimmed">USD per 1M tokens, and per request. It holds from now on.</Text>
          <PriceInputs values={form.values.price} onChange={(price) => form.setFieldValue("price", price)} />
          {form.errors["price"] && <Text size="sm" c="var(--tollgate-bad)" role="alert">{form.errors["price"]}</Text>}
          <Checkbox label="Free: may have no price" {...form.getInputProps("free", { type: "checkbox" })} />
        </Stack>
        <RateLimitFields about="Of all calls of one tenant together; every tenant has them for itself." form={form} />
        <FormButtons cancel={close} pending={create.isPending}>Create model</FormButtons>
      </Stack>
    </form>
  );
}

function priceFault(price: typeof initialValues.price, free: boolean): string | null {
  if (!isValidPrice(price)) return "Some of the prices are no amounts, or the tiers are not in ascending order.";
  return free || chargesSomething(priceOf(price)) ? null : "Enter a price, or declare the model free.";
}

function useCreate(close: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (values: typeof initialValues) =>
      ask(api.POST("/api/operator/models", {
        body: {
          id: values.id.trim(), owned_by: values.owned_by.trim(), status: "enabled", free: values.free, max_output: Number(values.max_output),
          price: priceOf(values.price), limits: rateLimitsOf(values),
        },
      })),
    onSuccess: async (model) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      notifications.show({ color: "green", message: `${model.id} is created. It can be called once a channel serves it.` });
      await navigate({ to: "/operator/models/$id", params: { id: model.id } });
    },
  });
}
