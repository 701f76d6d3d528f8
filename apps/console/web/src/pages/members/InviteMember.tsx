import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { useIdentity } from "@/api/session";
import { Modal } from "@/components/dialog";
import { rolesFor, type TenantRole } from "@/components/members/memberForm";
import { FormButtons, FormError, useSubmit } from "@/components/form";

interface InviteProps {
  opened: boolean;
  close: () => void;
  made: (invitation: Schema<"MadeInvitation">) => void;
}

/** Invites a person to the tenant by a link. */
export function InviteMember({ opened, close, made }: InviteProps) {
  return (
    <Modal opened={opened} onClose={close} title={t`Invite a member`}>
      <InviteForm close={close} made={made} />
    </Modal>
  );
}

/** The times after which an invitation can expire, in days. */
const lifetimes = () =>
  [1, 7, 30].map((days) => ({ value: String(days), label: plural(days, { one: "# day", other: "# days" }) }));

function InviteForm({ close, made }: Omit<InviteProps, "opened">) {
  const { user } = useIdentity();
  const form = useForm<{ email: string; role: TenantRole; valid_days: string }>({
    initialValues: { email: "", role: "member", valid_days: "7" },
    validate: { email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : t`Enter an email address.`) },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ email, role, valid_days }: typeof form.values) =>
      ask(api.POST("/api/invitations", { body: { email: email.trim(), role, valid_days: Number(valid_days) } })),
    done: async (invitation) => {
      await queryClient.invalidateQueries({ queryKey: ["invitations"] });
      close();
      made(invitation);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput
          label={t`Email address`}
          withAsterisk
          type="email"
          autoComplete="off"
          maxLength={254}
          data-autofocus
          {...form.getInputProps("email")}
        />
        <Select
          label={t`Role`}
          description={t`Members see their own tokens and logs. Admins manage the whole tenant. Owners also manage owners.`}
          allowDeselect={false}
          data={rolesFor(user.role)}
          {...form.getInputProps("role")}
        />
        <Select label={t`Expires in`} allowDeselect={false} data={lifetimes()} {...form.getInputProps("valid_days")} />
        <FormButtons cancel={close} pending={pending}>
          <Trans>Invite</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
