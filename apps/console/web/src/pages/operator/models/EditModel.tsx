import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Checkbox, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { changes } from "@/components/changes";
import { Drawer } from "@/components/dialog";
import { limitNames, rateLimitsOf, rateLimitValues, type RateLimitValues } from "@/components/limits/limits";
import { RateLimitFields } from "@/components/limits/fields";
import { applyProblem, FormButtons, FormError } from "@/components/form";
import { useUnsaved } from "@/components/unsaved";
import type { Model } from "@/pages/operator/catalog/queries";

import { FactFields } from "./FactFields";
import { factNames, factsOf, factValues, type FactValues } from "./facts";

/** Shows the form of an existing model. Its price is changed elsewhere, by new versions. */
export function EditModel({ opened, close, model }: { opened: boolean; close: () => void; model: Model }) {
  const { id } = model;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={520}
      title={t`Edit ${id}`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Form key={id} close={close} model={model} />
    </Drawer>
  );
}

interface Values extends FactValues, RateLimitValues, Pick<Model, "owned_by" | "free" | "routing"> {}

const valuesOf = (model: Model): Values => ({
  owned_by: model.owned_by,
  ...factValues(model),
  free: model.free,
  routing: model.routing,
  ...rateLimitValues(model.limits),
});

const bodyOf = (values: Values) => ({
  owned_by: values.owned_by.trim(),
  free: values.free,
  routing: values.routing,
  limits: rateLimitsOf(values),
  ...factsOf(values),
  max_output: Number(values.max_output),
});

function Form({ close, model }: { close: () => void; model: Model }) {
  const { id } = model;
  const client = useQueryClient();
  const [before] = useState(() => valuesOf(model));
  const form = useForm<Values>({
    initialValues: before,
    validate: { owned_by: (owner) => (owner.trim() ? null : t`Enter the owner, such as openai.`) },
  });
  useUnsaved(form);
  const [problem, setProblem] = useState<unknown>();
  const save = useMutation({
    mutationFn: (values: Values) =>
      ask(
        api.PATCH("/api/operator/models/{id}", {
          params: { path: { id } },
          body: changes(bodyOf(before), bodyOf(values)),
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      notifications.show({ color: "green", message: t`Model ${id} saved.` });
    },
    onError: (error) => setProblem(applyProblem(form, error, { ...limitNames, ...factNames })),
  });
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    save.mutate(values);
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={problem} />
        <Stack gap="sm">
          <TextInput label={t`Owned by`} maxLength={200} data-autofocus {...form.getInputProps("owned_by")} />
          <FactFields
            form={form}
            bound={t`Per answer. This many tokens are reserved for each request. Enter 0 for a default.`}
          />
          <Select
            label={t`Routing`}
            description={t`How a channel is chosen among those of equal priority.`}
            data={[
              { value: "weighted", label: t`By weight and load` },
              { value: "cheapest", label: t`Cheapest first, by channel costs` },
            ]}
            allowDeselect={false}
            {...form.getInputProps("routing")}
          />
          <Checkbox label={t`Free (a price is optional)`} {...form.getInputProps("free", { type: "checkbox" })} />
        </Stack>
        <RateLimitFields
          about={t`For all requests of one tenant together. Each tenant has its own limits.`}
          form={form}
        />
        <FormButtons cancel={close} pending={save.isPending}>
          <Trans>Save changes</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
