import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Fieldset, Group, Select, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { refreshNames } from "@/api/names";
import { queryClient } from "@/api/query";
import { changes } from "@/components/changes";
import { Modal } from "@/components/dialog";
import { limitNames, budgetFaults, budgetsOf, budgetValues } from "@/components/limits/limits";
import { BudgetInputs } from "@/components/limits/fields";
import { useSubmit, FormError } from "@/components/form";

import { ignoredFields, ignoredFieldsLabel, outputCapLabel, outputCaps, quotaModes } from "./tenantForm";

type Tenant = Schema<"Tenant">;

/** Edits a tenant, or disables it. */
export function EditTenant({ opened, close, tenant }: { opened: boolean; close: () => void; tenant: Tenant }) {
  const { name } = tenant;
  return (
    <Modal opened={opened} onClose={close} title={t`Edit ${name}`} size="lg">
      <EditForm key={tenant.id} tenant={tenant} close={close} />
    </Modal>
  );
}

const valuesOf = (tenant: Tenant) => ({
  name: tenant.name,
  enabled: tenant.status === "enabled",
  quota_mode: tenant.quota_mode,
  output_cap: tenant.output_cap,
  ignored_fields: tenant.ignored_fields,
  include_quota: tenant.include_quota,
  ...budgetValues(tenant.caps),
});

type Values = ReturnType<typeof valuesOf>;

const bodyOf = (values: Values) => ({
  name: values.name.trim(),
  status: values.enabled ? ("enabled" as const) : ("disabled" as const),
  quota_mode: values.quota_mode,
  output_cap: values.output_cap,
  ignored_fields: values.ignored_fields,
  include_quota: values.include_quota,
  caps: budgetsOf(values),
});

function EditForm({ tenant, close }: { tenant: Tenant; close: () => void }) {
  const { name } = tenant;
  const [before] = useState(() => valuesOf(tenant));
  const form = useForm<Values>({
    initialValues: before,
    validate: { name: (name) => (name.trim() ? null : t`Enter a name.`), ...budgetFaults },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: Values) =>
      ask(
        api.PATCH("/api/operator/tenants/{id}", {
          params: { path: { id: tenant.id } },
          body: changes(bodyOf(before), bodyOf(values)),
        }),
      ),
    names: limitNames,
    done: async () => {
      void refreshNames();
      await queryClient.invalidateQueries({ queryKey: ["tenants"] });
      notifications.show({ message: t`Changes to ${name} saved.`, color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label={t`Name`} maxLength={200} required {...form.getInputProps("name")} />
        <Select
          label={t`When the quota runs out during a stream`}
          allowDeselect={false}
          data={quotaModes()}
          {...form.getInputProps("quota_mode")}
        />
        <Select
          label={outputCapLabel()}
          description={t`For requests that set no maximum of output tokens.`}
          allowDeselect={false}
          data={outputCaps()}
          {...form.getInputProps("output_cap")}
        />
        <Select
          label={ignoredFieldsLabel()}
          description={t`Fields that only restrict the response or give a hint, and optional tools of the provider, such as web_search.`}
          allowDeselect={false}
          data={ignoredFields()}
          {...form.getInputProps("ignored_fields")}
        />
        <Switch
          label={t`Show the quota in all responses`}
          description={t`Adds usage.quota, the amount deducted in USD, to every response.`}
          {...form.getInputProps("include_quota", { type: "checkbox" })}
        />
        <Fieldset legend={t`Budgets of all users together, in USD`} variant="filled">
          <BudgetInputs form={form} />
        </Fieldset>
        <Switch
          label={t`Enabled`}
          description={t`Users of a disabled tenant can't sign in, and its tokens stop working.`}
          {...form.getInputProps("enabled", { type: "checkbox" })}
        />
        {before.enabled && !form.values.enabled && (
          <Alert color="red">
            <Trans>All requests of {name} are refused within a second after you save, until you enable it again.</Trans>
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={pending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            type="submit"
            loading={pending}
            disabled={!form.isDirty()}
            color={form.values.enabled ? undefined : "red"}
          >
            {form.values.enabled || !before.enabled ? <Trans>Save</Trans> : <Trans>Save and disable</Trans>}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
