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
      old_password: (password) => (password ? null : "Enter your password."),
      new_password: (password) => (password.length >= 8 ? null : "At least 8 characters."),
      again: (again, { new_password }) => (again === new_password ? null : "The passwords differ."),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ old_password, new_password }: typeof form.values) => ask(api.POST("/api/session/password", { body: { old_password, new_password } })),
    done: () => {
      form.reset();
      notifications.show({ message: "Your password is changed. All other sessions were ended.", color: "green" });
      void queryClient.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <SettingsCard title="Password" description="Changing it ends all your other sessions.">
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormError error={error} />
          <TextInput type="email" value={user.email} readOnly hidden autoComplete="username" aria-hidden tabIndex={-1} style={{ display: "none" }} />
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
            <PasswordInput label="Old password" autoComplete="current-password" maxLength={1024} {...form.getInputProps("old_password")} />
            <PasswordInput label="New password" autoComplete="new-password" maxLength={1024} {...form.getInputProps("new_password")} />
            <PasswordInput label="New password again" autoComplete="new-password" maxLength={1024} {...form.getInputProps("again")} />
          </SimpleGrid>
          <Button type="submit" variant="default" loading={pending} style={{ alignSelf: "flex-start" }}>
            Change the password
          </Button>
        </Stack>
      </form>
    </SettingsCard>
  );
}
