import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, PasswordInput, SimpleGrid, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";

import { api, ask } from "@/api/client";
import { queryClient } from "@/api/query";
import { useIdentity } from "@/api/session";
import { useSubmit, FormError } from "@/components/form";

import { SettingsCard } from "./SettingsCard";

/** Changes the signed-in user's password. */
export function Password() {
  const { user } = useIdentity();
  const form = useForm({
    initialValues: { old_password: "", new_password: "", again: "" },
    validate: {
      old_password: (password) => (password ? null : t`Enter your password.`),
      new_password: (password) => (password.length >= 8 ? null : t`Use at least 8 characters.`),
      again: (again, { new_password }) => (again === new_password ? null : t`The passwords don't match.`),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ old_password, new_password }: typeof form.values) =>
      ask(api.POST("/api/session/password", { body: { old_password, new_password } })),
    done: () => {
      form.reset();
      notifications.show({ message: t`Password changed. All your other sessions were ended.`, color: "green" });
      void queryClient.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <SettingsCard title={t`Password`} description={t`Changing it ends all your other sessions.`}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormError error={error} />
          <TextInput
            type="email"
            value={user.email}
            readOnly
            hidden
            autoComplete="username"
            aria-hidden
            tabIndex={-1}
            style={{ display: "none" }}
          />
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
            <PasswordInput
              label={t`Current password`}
              withAsterisk
              autoComplete="current-password"
              maxLength={1024}
              {...form.getInputProps("old_password")}
            />
            <PasswordInput
              label={t`New password`}
              withAsterisk
              autoComplete="new-password"
              maxLength={1024}
              {...form.getInputProps("new_password")}
            />
            <PasswordInput
              label={t`Repeat the new password`}
              withAsterisk
              autoComplete="new-password"
              maxLength={1024}
              {...form.getInputProps("again")}
            />
          </SimpleGrid>
          <Button type="submit" variant="default" loading={pending} style={{ alignSelf: "flex-start" }}>
            <Trans>Change password</Trans>
          </Button>
        </Stack>
      </form>
    </SettingsCard>
  );
}
