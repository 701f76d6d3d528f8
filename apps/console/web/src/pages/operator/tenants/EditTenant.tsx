import { Alert, Button, Fieldset, Group, Modal, Select, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { limitNames, budgetFaults, budgetsOf, budgetValues } from "@/components/limits/limits";
import { BudgetInputs } from "@/components/limits/fields";
import { useSubmit, FormError } from "@/components/form";

import { outputCapLabel, outputCaps, quotaModes } from "./tenantForm";

type Tenant = Schema<"Tenant">;

/** Edits a tenant, or disables it. */
export function EditTenant({ opened, close, tenant }: { opened: boolean; close: () => void; tenant: Tenant }) {
  return (
    <Modal opened={opened} onClose={close} title={`Edit ${tenant.name}`} size="lg">
      <EditForm tenant={tenant} close={close} />
    </Modal>
  );
}

function EditForm({ tenant, close }: { tenant: Tenant; close: () => void }) {
  const form = useForm({
    initialValues: { name: tenant.name, enabled: tenant.status === "enabled", quota_mode: tenant.quota_mode, output_cap: tenant.output_cap, ...budgetValues(tenant.caps) },
    validate: { name: (name) => (name.trim() ? null : "Enter a name."), ...budgetFaults },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: typeof form.values) =>
      ask(
        api.PATCH("/api/operator/tenants/{id}", {
          params: { path: { id: tenant.id } },
          body: {
            name: values.name.trim(),
            status: values.enabled ? "enabled" : "disabled",
            quota_mode: values.quota_mode,
            output_cap: values.output_cap,
            caps: budgetsOf(values),
          },
        }),
      ),
    names: limitNames,
    done: async () => {
      await queryClient.invalidateQueries({ queryKey: ["tenants"] });
      notifications.show({ message: `${tenant.name} was changed.`, color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label="Name" maxLength={200} required {...form.getInputProps("name")} />
        <Select label="When the quota ends in mid-stream" allowDeselect={false} data={quotaModes} {...form.getInputProps("quota_mode")} />
        <Select label={outputCapLabel} description="For calls without an output cap of their own." allowDeselect={false} data={outputCaps} {...form.getInputProps("output_cap")} />
        <Fieldset legend="The most that all users may spend together, in USD" variant="filled">
          <BudgetInputs form={form} />
        </Fieldset>
        <Switch label="Enabled" description="A disabled tenant's users cannot sign in, and its tokens stop working." {...form.getInputProps("enabled", { type: "checkbox" })} />
        {tenant.status === "enabled" && !form.values.enabled && (
          <Alert color="red">All calls of {tenant.name} are refused within a second of saving, until it is enabled again.</Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={pending}>
            Cancel
          </Button>
          <Button type="submit" loading={pending} disabled={!form.isDirty()} color={form.values.enabled ? undefined : "red"}>
            {form.values.enabled || tenant.status === "disabled" ? "Save" : "Save and disable"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
