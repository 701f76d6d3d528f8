import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";

import { api, ask, type Schema } from "@/api/client";
import { searchTenants } from "@/api/names";
import { queryClient } from "@/api/query";
import { Modal } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { RemoteSelect } from "@/components/RemoteSelect";
import type { CreatedLink } from "@/components/members/CreatedLink";

import { GroupSelect } from "./groups";
import { userFaults, userRoles, type UserRole } from "./userForm";

interface InviteProps {
  opened: boolean;
  close: () => void;
  tenant: Schema<"Tenant"> | undefined;
  /** Called with the link that was created. */
  linked: (made: CreatedLink) => void;
}

/** Invites a person by a link. Without a `tenant` the form asks for the tenant and also offers the role operator. */
export function InviteUser(props: InviteProps) {
  const { opened, close, tenant } = props;
  const name = tenant?.name;
  return (
    <Modal opened={opened} onClose={close} title={name ? t`Invite to ${name}` : t`Invite a user`}>
      <InviteForm {...props} />
    </Modal>
  );
}

function InviteForm({ close, tenant, linked }: InviteProps) {
  const form = useForm({
    initialValues: { email: "", role: "owner" as UserRole, tenant_id: tenant?.id ?? "", group_id: "" },
    validate: userFaults,
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ email, role, tenant_id, group_id }: typeof form.values) =>
      ask(
        api.POST("/api/invitations", {
          body: { email: email.trim(), role, valid_days: 7, ...(role !== "operator" && { tenant_id, group_id }) },
        }),
      ),
    done: async (invitation) => {
      await queryClient.invalidateQueries({ queryKey: ["invitations"] });
      close();
      linked({
        title: t`Invitation`,
        email: invitation.email,
        link: invitation,
        purpose: t`Whoever opens the link sets a password and is signed in. The link works once.`,
      });
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
        <Select label={t`Role`} allowDeselect={false} data={userRoles(!tenant)} {...form.getInputProps("role")} />
        {!operator && !tenant && (
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
          <Trans>Invite</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
