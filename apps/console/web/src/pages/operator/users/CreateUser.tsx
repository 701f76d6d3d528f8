import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { PasswordInput, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";

import { api, ask, type Schema } from "@/api/client";
import { refreshNames, searchTenants } from "@/api/names";
import { queryClient } from "@/api/query";
import { Modal } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { RemoteSelect } from "@/components/RemoteSelect";

import { GroupSelect } from "./groups";
import { userFaults, userRoles, type UserRole } from "./userForm";

/**
 * Creates a user with an initial password. Without a `tenant` the form asks for the tenant and also offers the role
 * operator.
 */
export function CreateUser({
  opened,
  close,
  tenant,
}: {
  opened: boolean;
  close: () => void;
  tenant: Schema<"Tenant"> | undefined;
}) {
  const name = tenant?.name;
  return (
    <Modal opened={opened} onClose={close} title={name ? t`Add a user to ${name}` : t`Add a user`}>
      <CreateForm close={close} tenantId={tenant?.id} />
    </Modal>
  );
}

function CreateForm({ close, tenantId }: { close: () => void; tenantId: string | undefined }) {
  const form = useForm({
    initialValues: { email: "", password: "", role: "owner" as UserRole, tenant_id: tenantId ?? "", group_id: "" },
    validate: { ...userFaults, password: (password) => (password.length >= 8 ? null : t`Use at least 8 characters.`) },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ email, password, role, tenant_id, group_id }: typeof form.values) =>
      ask(
        api.POST("/api/operator/users", {
          body: { email: email.trim(), password, role, ...(role !== "operator" && { tenant_id, group_id }) },
        }),
      ),
    done: async ({ email }) => {
      void refreshNames();
      await queryClient.invalidateQueries({ queryKey: ["users"] });
      notifications.show({ message: t`${email} can now sign in.`, color: "green" });
      close();
    },
  });
  const operator = form.values.role === "operator";
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput
          label={t`Email address`}
          type="email"
          autoComplete="off"
          maxLength={254}
          required
          data-autofocus
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label={t`Initial password`}
          description={t`At least 8 characters. The user can change it under Settings.`}
          autoComplete="new-password"
          maxLength={1024}
          required
          {...form.getInputProps("password")}
        />
        <Select label={t`Role`} allowDeselect={false} data={userRoles(!tenantId)} {...form.getInputProps("role")} />
        {!operator && !tenantId && (
          <RemoteSelect
            kind="tenants"
            label={t`Tenant`}
            search={searchTenants}
            placeholder={t`Search by name`}
            required
            value={form.values.tenant_id || undefined}
            error={form.errors["tenant_id"]}
            onChange={(id) => form.setFieldValue("tenant_id", id ?? "")}
          />
        )}
        {!operator && <GroupSelect required {...form.getInputProps("group_id")} />}
        <FormButtons cancel={close} pending={pending}>
          <Trans>Add user</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
