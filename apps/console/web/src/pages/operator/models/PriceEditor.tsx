import { Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { api, ask } from "@/api/client";
import { Problem } from "@/api/problem";
import { FormError } from "@/components/form";
import { classes, type RateName } from "@/components/usage/classes";
import { showDateTime } from "@/format/time";
import { Changes } from "@/pages/operator/catalog/Changes";
import type { Model } from "@/pages/operator/catalog/queries";
import { PriceInputs } from "@/pages/operator/catalog/PriceInputs";
import { changesOf, chargesSomething, isValidPrice, priceOf, priceValues, type PriceValues, type Rates } from "@/pages/operator/catalog/rates";
import { Simulation } from "@/pages/operator/catalog/Simulation";
import { momentOf, whenFault } from "@/pages/operator/catalog/when";
import { WhenField } from "@/pages/operator/catalog/WhenField";

/** Shows the form of a model's next price, with a simulation of what past calls would have cost. */
export function PriceEditor({ opened, close, model }: { opened: boolean; close: () => void; model: Model }) {
  return (
    <Drawer opened={opened} onClose={close} size={620} title={`Change the price of ${model.id}`} closeButtonProps={{ "aria-label": "Close" }}>
      <Form close={close} model={model} />
    </Drawer>
  );
}

interface Values {
  price: PriceValues;
  when: string | null;
}

function Form({ close, model }: { close: () => void; model: Model }) {
  const initialValues: Values = { price: priceValues(model.price), when: null };
  const form = useForm({ initialValues, validate: { when: (when) => whenFault(when) } });
  const valid = isValidPrice(form.values.price);
  const rates = valid ? priceOf(form.values.price) : {};
  const changes = valid ? changesOf(model.price, rates) : [];
  const priced = model.free || chargesSomething(rates);
  const save = useSave(model, close);
  const { rest, errors } = faultsOf(save.error);
  return (
    <form onSubmit={form.onSubmit(({ price, when }) => save.mutate({ rates: priceOf(price), when }))} noValidate>
      <Stack gap="lg">
        <FormError error={rest} />
        <Stack gap="xs">
          <Title order={3}>New price</Title>
          <PriceInputs values={form.values.price} errors={errors} onChange={(price) => form.setFieldValue("price", price)} />
          {valid && !priced && <Text size="sm" c="var(--tollgate-bad)">A model needs a price, unless it is declared free.</Text>}
        </Stack>
        <Stack gap="xs" aria-live="polite">
          <Title order={3}>What changes</Title>
          {changes.length > 0 ? <Changes changes={changes} /> : <Text c="dimmed">Nothing: this is the price that holds now.</Text>}
        </Stack>
        <WhenField value={form.values.when} onChange={(when) => form.setFieldValue("when", when)} error={form.errors["when"]} />
        <Simulation proposal={{ price: { model: model.id, price: rates } }} disabled={!valid || !priced || changes.length === 0} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={save.isPending}>Cancel</Button>
          <Button type="submit" loading={save.isPending} disabled={!valid || !priced || (changes.length === 0 && form.values.when === null)}>
            {form.values.when === null ? "Change the price now" : "Schedule the change"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useSave(model: Model, close: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ rates, when }: { rates: Rates; when: string | null }) => {
      const effective_from = momentOf(when);
      return ask(api.POST("/api/operator/prices", { body: { model: model.id, price: rates, ...(effective_from && { effective_from }) } }));
    },
    onSuccess: async (price, { when }) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      notifications.show({ color: "green", message: when === null ? `${model.id} has its new price.` : `The new price of ${model.id} holds from ${showDateTime(price.effective_from)} on.` });
    },
  });
}

/**
 * Splits the refusal of a price into messages for single classes and `rest`, the error to show for the whole form.
 * `rest` is undefined if every message belongs to a class.
 */
function faultsOf(error: unknown): { rest: unknown; errors: Partial<Record<RateName, ReactNode>> } {
  const errors: Partial<Record<RateName, ReactNode>> = {};
  if (!(error instanceof Problem)) return { rest: error, errors };
  let rest: unknown = error.fields.length === 0 ? error : undefined;
  for (const { param, message } of error.fields) {
    const found = classes.find(({ name }) => param === `price.${name}`);
    if (found) errors[found.name] = message;
    else rest = error;
  }
  return { rest, errors };
}
