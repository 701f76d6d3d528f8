import { Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { platformQuery } from "@/api/platform";
import { queryClient } from "@/api/query";
import { useIdentity } from "@/api/session";
import { emptyMember, type MemberValues } from "@/components/members/memberForm";
import { RoleSelect } from "@/components/members/RoleSelect";
import { limitFaults, limitNames, limitsOf } from "@/components/limits/limits";
import { LimitFields } from "@/components/limits/fields";
import { FormButtons, FormError, useSubmit } from "@/components/form";

interface Values extends MemberValues {
  email: string;
  password: string;
}

/** Creates a member with an initial password. */
export function CreateMember({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Add a member with a password" size="lg">
      <CreateForm close={close} />
    </Modal>
  );
}

function CreateForm({ close }: { close: () => void }) {
  const { user } = useIdentity();
  const { data: platform } = useQuery(platformQuery);
  const mail = platform?.mail ?? false;
  const form = useForm<Values>({
    initialValues: { ...emptyMember, email: "", password: "" },
    validate: {
      ...limitFaults,
      email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : "Enter an e-mail address."),
      password: (password) => (mail || password.length >= 8 ? null : "At least 8 characters."),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ email, password, role, ...limits }: Values) =>
      ask(api.POST("/api/members", { body: { email: email.trim(), ...(mail ? {} : { password }), role, ...limitsOf(limits) } })),
    names: limitNames,
    done: async (member) => {
      await queryClient.invalidateQueries({ queryKey: ["members"] });
      notifications.show({ message: member.mailed ? `${member.email} has an invitation by mail.` : `${member.email} can sign in with the first password.`, color: "green" });
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label="E-mail address" type="email" autoComplete="off" maxLength={254} required data-autofocus {...form.getInputProps("email")} />
        {mail ? (
          <Text size="sm">The person gets a mail with a link, and chooses a password there.</Text>
        ) : (
          <PasswordInput
            label="First password"
            description="At least 8 characters. Hand it over on a safe way; it can be changed under Settings."
            autoComplete="new-password"
            maxLength={1024}
            required
            {...form.getInputProps("password")}
          />
        )}
        <RoleSelect form={form} own={user.role} />
        <LimitFields form={form} />
        <FormButtons cancel={close} pending={pending}>Add member</FormButtons>
      </Stack>
    </form>
  );
}
