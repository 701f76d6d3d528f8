import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, MultiSelect, SimpleGrid, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { api, ask } from "@/api/client";
import { Drawer } from "@/components/dialog";
import { FormError } from "@/components/form";
import { SegmentedControl } from "@/components/SegmentedControl";
import { useUnsaved } from "@/components/unsaved";
import { labelOf } from "@/components/usage/classes";
import { showDateTime } from "@/format/time";
import { type Model, modelsQuery } from "@/pages/operator/catalog/queries";
import { usePreview } from "@/pages/operator/catalog/usePreview";
import { momentOf, whenFault } from "@/pages/operator/catalog/when";
import { tomorrow, WhenField } from "@/pages/operator/catalog/WhenField";

import {
  areFactors,
  changesFor,
  type Factors,
  isFactor,
  maxModels,
  noFactors,
  pricedModels,
  usedClasses,
} from "./bulk";
import { BulkPreview } from "./BulkPreview";

interface BulkPricesProps {
  opened: boolean;
  close: () => void;
  /** All models. */
  models: Model[];
  /** The models that the filter of the list shows. */
  found: Model[];
}

/** Shows the form that changes the prices of several models together. */
export function BulkPrices({ opened, close, ...props }: BulkPricesProps) {
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={760}
      title={t`Change several prices`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Form close={close} {...props} />
    </Drawer>
  );
}

interface Values {
  chosen: string[];
  factors: Factors;
  when: string | null;
  /** The models whose loss the operator accepts. */
  accepted: string[];
}

function Form({ close, models, found }: Omit<BulkPricesProps, "opened">) {
  const initialValues: Values = { chosen: [], factors: noFactors, when: tomorrow(), accepted: [] };
  const form = useForm({ initialValues, validate: { when: (when) => whenFault(when) } });
  useUnsaved(form);
  const { chosen, factors, when, accepted } = form.values;
  const priced = pricedModels(models);
  const selected = priced.filter(({ id }) => chosen.includes(id));
  const ready = selected.length > 0 && areFactors(factors) && whenFault(when) === null;
  const effective_from = ready ? momentOf(when) : undefined;
  const preview = usePreview(
    ready ? { changes: changesFor(selected, factors), ...(effective_from && { effective_from }) } : undefined,
  );
  const shown = ready ? preview.data?.items : undefined;
  const stale =
    shown !== undefined &&
    preview.fresh &&
    shown.some(
      ({ model, current }) =>
        JSON.stringify(current) !== JSON.stringify(selected.find(({ id }) => id === model)?.price),
    );
  useRefresh(stale);
  const open = shown?.filter(({ model, loss }) => loss && !accepted.includes(model)).length ?? 0;
  const save = useSave(close);
  const submit = form.onSubmit(
    () =>
      shown &&
      save.mutate({
        changes: shown.flatMap(({ model, price_id, loss }) =>
          changesFor(
            selected.filter(({ id }) => id === model),
            factors,
          ).map((change) => ({ ...change, ...(price_id && { price_id }), ...(loss && { confirm_loss: true }) })),
        ),
        effective_from,
      }),
  );
  const set = (change: Partial<Values>) =>
    form.setValues({ ...change, ...(change.accepted === undefined && { accepted: [] }) });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={save.error} />
        <Models priced={priced} found={pricedModels(found)} chosen={chosen} choose={(ids) => set({ chosen: ids })} />
        <FactorFields models={selected} factors={factors} change={(next) => set({ factors: next })} />
        <WhenField value={when} onChange={(next) => set({ when: next })} error={form.errors["when"]} />
        <Stack gap="xs" aria-live="polite">
          <Title order={3}>
            <Trans>Preview</Trans>
          </Title>
          {!ready && (
            <Text c="dimmed">
              <Trans>Choose models and a factor to see the prices before and after.</Trans>
            </Text>
          )}
          {ready && preview.error !== null && <FormError error={preview.error} />}
          {ready && !preview.error && (
            <BulkPreview
              items={shown}
              changes={changesFor(selected, factors)}
              accepted={accepted}
              accept={(ids) => set({ accepted: ids })}
            />
          )}
        </Stack>
        <Group justify="flex-end" gap="xs">
          {open > 0 && (
            <Text size="sm" c="var(--tollgate-bad)">
              {plural(open, {
                one: "Accept the loss of # model first.",
                other: "Accept the losses of # models first.",
              })}
            </Text>
          )}
          <Button variant="default" onClick={close} disabled={save.isPending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!preview.fresh || stale || open > 0}>
            {when === null
              ? plural(selected.length, { one: "Change # price now", other: "Change # prices now" })
              : plural(selected.length, { one: "Schedule # price", other: "Schedule # prices" })}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Reads the models again if their prices have changed since they were read. */
function useRefresh(stale: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (stale) void client.invalidateQueries({ queryKey: modelsQuery.queryKey });
  }, [stale, client]);
}

function Models({
  priced,
  found,
  chosen,
  choose,
}: {
  priced: Model[];
  found: Model[];
  chosen: string[];
  choose: (ids: string[]) => void;
}) {
  const all = found.slice(0, maxModels);
  const count = all.length;
  return (
    <Stack gap={6} align="flex-start">
      {count > 0 && count > chosen.length && (
        <Button size="compact-sm" variant="default" data-autofocus onClick={() => choose(all.map(({ id }) => id))}>
          {plural(count, { one: "Choose the # model of the list", other: "Choose all # models of the list" })}
        </Button>
      )}
      <MultiSelect
        label={t`Models`}
        description={t`Models with a price, at most ${maxModels}. All change together, or none.`}
        placeholder={chosen.length > 0 ? undefined : t`Choose models`}
        data={priced.map(({ id }) => id)}
        value={chosen}
        onChange={choose}
        maxValues={maxModels}
        searchable
        clearable
        hidePickedOptions
        limit={100}
        nothingFoundMessage={t`No models match your search`}
        w="100%"
      />
    </Stack>
  );
}

function FactorFields({
  models,
  factors,
  change,
}: {
  models: Model[];
  factors: Factors;
  change: (factors: Factors) => void;
}) {
  const used = usedClasses(models);
  const fault = (factor: string) => (isFactor(factor) ? undefined : t`Enter a decimal above zero, such as 2 or 0.5.`);
  // Not translated: a number.
  const field = { inputMode: "decimal", autoComplete: "off", leftSection: "×", placeholder: "1" } as const;
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label={t`What changes`}
        data={[
          { value: "all", label: t`All prices` },
          { value: "class", label: t`By class` },
        ]}
        value={factors.mode}
        onChange={(mode) => change({ ...factors, mode })}
      />
      {factors.mode === "all" ? (
        <TextInput
          {...field}
          label={t`Factor`}
          description={t`Multiplies every price, those of tiers, service tiers and tools too: 1.1 raises them by 10%.`}
          maw={360}
          value={factors.all}
          error={fault(factors.all)}
          onChange={({ currentTarget: { value } }) => change({ ...factors, all: value })}
        />
      ) : (
        <>
          <Text size="sm" c="dimmed">
            <Trans>
              Each factor multiplies the own prices of a class, in tiers and service tiers too. A class without an own
              price follows its base class. Leave a factor empty to keep a price.
            </Trans>
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {used.classes.map((name) => (
              <TextInput
                key={name}
                {...field}
                label={labelOf(name)}
                value={factors.classes[name] ?? ""}
                error={fault(factors.classes[name] ?? "")}
                onChange={({ currentTarget: { value } }) =>
                  change({ ...factors, classes: { ...factors.classes, [name]: value } })
                }
              />
            ))}
            {used.tools && (
              <TextInput
                {...field}
                label={t`Tools`}
                value={factors.tools}
                error={fault(factors.tools)}
                onChange={({ currentTarget: { value } }) => change({ ...factors, tools: value })}
              />
            )}
          </SimpleGrid>
          {models.length === 0 && (
            <Text size="sm" c="dimmed">
              <Trans>Choose models to see their classes.</Trans>
            </Text>
          )}
        </>
      )}
    </Stack>
  );
}

function useSave(close: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({
      changes,
      effective_from,
    }: {
      changes: ReturnType<typeof changesFor>;
      effective_from: string | undefined;
    }) => ask(api.POST("/api/operator/prices/bulk", { body: { changes, ...(effective_from && { effective_from }) } })),
    onError: () => client.invalidateQueries({ queryKey: modelsQuery.queryKey }),
    onSuccess: async ({ items }, { effective_from }) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      const count = items.length;
      const moment = effective_from ? showDateTime(effective_from) : "";
      notifications.show({
        color: "green",
        message: moment
          ? plural(count, { one: `# price scheduled for ${moment}.`, other: `# prices scheduled for ${moment}.` })
          : plural(count, { one: "# price changed.", other: "# prices changed." }),
      });
    },
  });
}
