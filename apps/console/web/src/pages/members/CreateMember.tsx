import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";

import { api, ask } from "@/api/client";
import { platformQuery } from "@/api/platform";
import { refreshNames } from "@/api/names";
import { queryClient } from "@/api/query";
import { useIdentity } from "@/api/session";
import { Modal } from "@/components/dialog";
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
    <Modal opened={opened} onClose={close} title={t`Add a member with a password`} size="lg">
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
      email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : t`Enter an email address.`),
      password: (password) => (mail || password.length >= 8 ? null : t`Use at least 8 characters.`),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ email, password, role, ...limits }: Values) =>
      ask(
        api.POST("/api/members", {
          body: { email: email.trim(), ...(mail ? {} : { password }), role, ...limitsOf(limits) },
        }),
      ),
    names: limitNames,
    done: async ({ email, mailed }) => {
      void refreshNames();
      await queryClient.invalidateQueries({ queryKey: ["members"] });
      notifications.show({
        message: mailed
          ? t`An invitation is on its way to ${email}.`
          : t`${email} can now sign in with the initial password.`,
        color: "green",
      });
      close();
    },
  });
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
        {mail ? (
          <Text size="sm">
            <Trans>The person gets an email with a link, and chooses a password there.</Trans>
          </Text>
        ) : (
          <PasswordInput
            label={t`Initial password`}
            description={t`At least 8 characters. Share it securely. The member can change it under Settings.`}
            autoComplete="new-password"
            maxLength={1024}
            required
            {...form.getInputProps("password")}
          />
        )}
        <RoleSelect form={form} own={user.role} />
        <LimitFields form={form} />
        <FormButtons cancel={close} pending={pending}>
          <Trans>Add member</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
