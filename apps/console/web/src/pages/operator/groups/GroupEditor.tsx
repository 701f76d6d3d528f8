import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group as Row, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { changes } from "@/components/changes";
import { Drawer } from "@/components/dialog";
import {
  limitNames,
  rateLimitsOf,
  type RateLimitValues,
  rateLimitValues,
  noRateLimits,
} from "@/components/limits/limits";
import { RateLimitFields } from "@/components/limits/fields";
import { applyProblem, FormError } from "@/components/form";
import { useUnsaved } from "@/components/unsaved";
import { type Group, groupsQuery } from "@/pages/operator/catalog/queries";
import { isMultiplier, multiplierMeans } from "@/pages/operator/catalog/rates";

import { PatternsInput } from "./PatternsInput";

interface GroupEditorProps {
  opened: boolean;
  close: () => void;
  /** The group to edit; absent for a new group. */
  group?: Group;
}

/**
 * Shows the form of a new or an existing group. An existing group's price rules are changed elsewhere, by new rules.
 */
export function GroupEditor({ opened, close, group }: GroupEditorProps) {
  const name = group?.name;
  return (
    <Drawer
      opened={opened}
      onClose={close}
      size={560}
      title={name === undefined ? t`New group` : t`Edit ${name}`}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      <Form key={group?.id} close={close} {...(group && { group })} />
    </Drawer>
  );
}

function Form({ close, group }: Omit<GroupEditorProps, "opened">) {
  const [before] = useState(() => valuesOf(group));
  const form = useForm<Values>({
    initialValues: before,
    validate: {
      name: (name) => (name.trim() ? null : t`Enter a name.`),
      multiplier: (text) => (isMultiplier(text) ? null : t`Enter a decimal, such as 1 or 0.85.`),
    },
  });
  useUnsaved(form);
  const [problem, setProblem] = useState<unknown>();
  const save = useSave(group, before, close);
  const submit = form.onSubmit((values) => {
    setProblem(undefined);
    save.mutate(values, { onError: (error) => setProblem(applyProblem(form, error, limitNames)) });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <FormError error={problem} />
        <TextInput
          label={t`Name`}
          withAsterisk
          placeholder={t`e.g. partners`}
          maxLength={200}
          data-autofocus
          {...form.getInputProps("name")}
        />
        <PatternsInput
          {...form.getInputProps("models")}
          value={form.values.models}
          onChange={(models) => form.setFieldValue("models", models)}
        />
        {!group && (
          <TextInput
            label={t`Multiplier`}
            inputMode="decimal"
            leftSection="×"
            maw={260}
            description={
              isMultiplier(form.values.multiplier)
                ? multiplierMeans(form.values.multiplier.trim())
                : t`Applies to the price of every model`
            }
            {...form.getInputProps("multiplier")}
          />
        )}
        <RateLimitFields
          about={t`For all users of the group in one tenant together. Each tenant has its own limits.`}
          form={form}
        />
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={save.isPending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={save.isPending}>
            {group ? t`Save changes` : t`Create group`}
          </Button>
        </Row>
      </Stack>
    </form>
  );
}

interface Values extends RateLimitValues {
  name: string;
  models: string[];
  multiplier: string;
}

const valuesOf = (group: Group | undefined): Values => ({
  name: group?.name ?? "",
  models: group?.models ?? ["*"],
  multiplier: "1",
  ...(group ? rateLimitValues(group.limits) : noRateLimits),
});

const bodyOf = (values: Values) => ({ name: values.name.trim(), models: values.models, limits: rateLimitsOf(values) });

/**
 * Changes the group. The patch contains only differences from the values `before`. Fails if another person has changed
 * the models meanwhile: the list is sent as a whole, which would revert that change.
 */
async function change(client: QueryClient, { id }: Group, before: Values, values: Values) {
  const params = { path: { id } };
  const body = changes(bodyOf(before), bodyOf(values));
  if (body.models) {
    const { name, models } = await ask(api.GET("/api/operator/groups/{id}", { params }));
    if (changes({ models: before.models }, { models }).models) {
      void client.invalidateQueries({ queryKey: groupsQuery.queryKey });
      throw new Error(t`The models of ${name} have changed meanwhile. Open the form again to change the current ones.`);
    }
  }
  return ask(api.PATCH("/api/operator/groups/{id}", { params, body }));
}

/** Saves the group. */
function useSave(group: Group | undefined, before: Values, close: () => void) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (values: Values) =>
      group
        ? change(client, group, before, values)
        : ask(api.POST("/api/operator/groups", { body: { ...bodyOf(values), multiplier: values.multiplier.trim() } })),
    onSuccess: async ({ id, name }) => {
      await client.invalidateQueries({ queryKey: ["operator"] });
      close();
      notifications.show({ color: "green", message: group ? t`Group ${name} saved.` : t`Group ${name} created.` });
      if (!group) await navigate({ to: "/operator/groups/$id", params: { id } });
    },
  });
}
