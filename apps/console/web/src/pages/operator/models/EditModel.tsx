import { Checkbox, Drawer, NumberInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { limitNames, rateLimitsOf, rateLimitValues } from "@/components/limits/limits";
import { RateLimitFields } from "@/components/limits/fields";
import { applyProblem, FormButtons, FormError } from "@/components/form";
import type { Model } from "@/pages/operator/catalog/queries";

/** Shows the form of an existing model. Its price is changed elsewhere, by new versions. */
export function EditModel({ opened, close, model }: { opened: boolean; close: () => void; model: Model }) {
  return (
    <Drawer opened={opened} onClose={close} size={520} title={`Edit ${model.id}`} closeButtonProps={{ "aria-label": "Close" }}>
      <Form close={close} model={model} />
    </Drawer>
  );
}

function Form({ close, model }: { close: () => void; model: Model }) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { owned_by: model.owned_by, max_output: model.max_output as number | string, free: model.free, ...rateLimitValues(model.limits) },
    validate: { owned_by: (owner) => (owner.trim() ? null : "Say who owns the model, such as openai.") },
  });
  const [problem, setProblem] = useState<unknown>();
  const save = useMutation({
    mutationFn: (values: typeof form.values) =>
      ask(api.PATCH("/api/operator/models/{id}", {
        params: { path: { id: model.id } },
        body: { owned_by: values.owned_by.trim(), free: values.free, limits: rateLimitsOf(values), ...(Number(values.max_output) !== model.max_output && { max_output: Number(values.max_output) }) },
      })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      notifications.show({ color: "green", message: `${model.id} is changed.` });
    },
    onError: (error) => setProblem(applyProblem(form, error, limitNames)),
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
          <TextInput label="Owned by" maxLength={200} data-autofocus {...form.getInputProps("owned_by")} />
          <NumberInput label="Most output tokens" description="Of one answer; quota is held for as many. 0: a default." min={0} max={1_000_000_000} allowDecimal={false} thousandSeparator="," hideControls {...form.getInputProps("max_output")} />
          <Checkbox label="Free: may have no price" {...form.getInputProps("free", { type: "checkbox" })} />
        </Stack>
        <RateLimitFields about="Of all calls of one tenant together; every tenant has them for itself." form={form} />
        <FormButtons cancel={close} pending={save.isPending}>Save changes</FormButtons>
      </Stack>
    </form>
  );
}
