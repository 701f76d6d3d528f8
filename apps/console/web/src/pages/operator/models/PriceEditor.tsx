import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { Problem } from "@/api/problem";
import { confirm } from "@/components/confirm";
import { Drawer } from "@/components/dialog";
import { FormError } from "@/components/form";
import { useUnsaved } from "@/components/unsaved";
import { classes, type RateName } from "@/components/usage/classes";
import { showDateTime } from "@/format/time";
import { Changes } from "@/pages/operator/catalog/Changes";
import { LossQuestion, Margins } from "@/pages/operator/catalog/Margins";
import { marginsOf } from "@/pages/operator/catalog/margins";
import { type Model, modelsQuery } from "@/pages/operator/catalog/queries";
import { PriceInputs } from "@/pages/operator/catalog/PriceInputs";
import {
  changesOf,
  chargesSomething,
  priceFault,
  priceOf,
  priceValues,
  type PriceValues,
  type Rates,
} from "@/pages/operator/catalog/rates";
import { Simulation } from "@/pages/operator/catalog/Simulation";
import { previewPrices, usePreview } from "@/pages/operator/catalog/usePreview";
import { momentOf, whenFault } from "@/pages/operator/catalog/when";
import { WhenField } from "@/pages/operator/catalog/WhenField";

/**
 * Shows the form of a model's next price, with its margin over the costs of channels, and a simulation of what past
 * calls would have cost.
 */
export function PriceEditor({ opened, close, model }: { opened: boolean; close: () => void; model: Model }) {
  const { id } = model;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={620}
      title={t`Change the price of ${id}`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Form close={close} model={model} />
    </Drawer>
  );
}

interface Values {
  price: PriceValues;
  when: string | null;
}

function Form({ close, model }: { close: () => void; model: Model }) {
  const [before] = useState(() => model.price); // the list of models may be read again while the form is open
  const initialValues: Values = { price: priceValues(before), when: null };
  const form = useForm({ initialValues, validate: { when: (when) => whenFault(when) } });
  useUnsaved(form);
  const fault = priceFault(form.values.price);
  const valid = fault === undefined;
  const rates = valid ? priceOf(form.values.price) : {};
  const changes = valid ? changesOf(before, rates) : [];
  const priced = model.free || chargesSomething(rates);
  const proposal =
    valid && priced && changes.length > 0 && whenFault(form.values.when) === null
      ? proposalOf(model, rates, form.values.when)
      : undefined;
  const preview = usePreview(proposal);
  const save = useSave(model, close);
  const check = useCheck(model, before, save);
  const { rest, errors } = faultsOf(save.error ?? check.error);
  const pending = save.isPending || check.isPending;
  const submit = form.onSubmit(({ price, when }) => {
    save.reset(); // the refusal of the price before
    check.mutate({ rates: priceOf(price), when });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={rest} />
        <Stack gap="xs">
          <Title order={3}>
            <Trans>New price</Trans>
          </Title>
          <PriceInputs
            values={form.values.price}
            errors={errors}
            onChange={(price) => form.setFieldValue("price", price)}
          />
          {valid && !priced && (
            <Text size="sm" c="var(--tollgate-bad)">
              <Trans>Enter a price, or mark the model as free.</Trans>
            </Text>
          )}
        </Stack>
        <Stack gap="xs" aria-live="polite">
          <Title order={3}>
            <Trans>What changes</Trans>
          </Title>
          {changes.length > 0 ? (
            <Changes changes={changes} />
          ) : (
            <Text c="dimmed">{fault ?? t`No change from the current price.`}</Text>
          )}
        </Stack>
        <WhenField
          value={form.values.when}
          onChange={(when) => form.setFieldValue("when", when)}
          error={form.errors["when"]}
        />
        {proposal && (
          <Stack gap="xs">
            <Title order={3}>
              <Trans>Margin</Trans>
            </Title>
            {preview.data?.items[0] ? (
              <Margins of={preview.data.items[0]} />
            ) : preview.error ? (
              <FormError error={preview.error} />
            ) : (
              <Skeleton h={60} />
            )}
          </Stack>
        )}
        <Simulation
          proposal={{ price: { model: model.id, price: rates } }}
          disabled={!valid || !priced || changes.length === 0}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={pending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            type="submit"
            loading={pending}
            disabled={!valid || !priced || (changes.length === 0 && form.values.when === null)}
          >
            {form.values.when === null ? t`Change the price now` : t`Schedule the change`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Returns the body that asks for the margins of the new price. */
function proposalOf(model: Model, price: Rates, when: string | null): Schema<"NewPrices"> {
  const effective_from = momentOf(when);
  return { changes: [{ model: model.id, price }], ...(effective_from && { effective_from }) };
}

interface NewPrice {
  rates: Rates;
  when: string | null;
}

/**
 * Computes the margins once more, saves the price, and asks before if the price is below a cost. Fails if the current
 * price is no longer `before`, with which the form was opened: the form sends all classes, and so would revert what
 * another person has changed meanwhile.
 */
function useCheck(model: Model, before: Rates | undefined, save: ReturnType<typeof useSave>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ rates, when }: NewPrice) => {
      const { items } = await previewPrices(proposalOf(model, rates, when));
      if (JSON.stringify(items[0]?.current) === JSON.stringify(before)) return items[0];
      void client.invalidateQueries({ queryKey: modelsQuery.queryKey });
      const { id } = model;
      throw new Error(t`The price of ${id} has changed meanwhile. Open the form again to change the current price.`);
    },
    onSuccess: (item, price) => {
      const losses = item ? marginsOf(item).losses : [];
      if (losses.length === 0) save.mutate(price);
      else
        confirm({
          title: t`Sell below cost?`,
          children: <LossQuestion lines={losses} />,
          confirm: t`Save anyway`,
          act: () => save.mutateAsync(price),
        });
    },
  });
}

function useSave(model: Model, close: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ rates, when }: NewPrice) => {
      const effective_from = momentOf(when);
      return ask(
        api.POST("/api/operator/prices", {
          body: { model: model.id, price: rates, ...(effective_from && { effective_from }) },
        }),
      );
    },
    onSuccess: async (price, { when }) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      const { id } = model;
      const moment = showDateTime(price.effective_from);
      notifications.show({
        color: "green",
        message: when === null ? t`New price of ${id} saved.` : t`New price of ${id} scheduled for ${moment}.`,
      });
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
