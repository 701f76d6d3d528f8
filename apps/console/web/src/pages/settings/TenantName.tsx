import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";

import { api, ask } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import { useSubmit, FormError } from "@/components/form";

import { SettingsCard } from "./SettingsCard";

/** Edits the name of the tenant, for owners. */
export function TenantName({ name }: { name: string }) {
  const form = useForm({
    initialValues: { name },
    validate: { name: (text) => (text.trim() ? null : t`Enter a name.`) },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: { name: string }) => ask(api.PATCH("/api/tenant", { body: { name: values.name.trim() } })),
    done: async ({ name: saved }) => {
      form.resetDirty();
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
        queryClient.invalidateQueries({ queryKey: ["tenant"] }),
      ]);
      notifications.show({ message: t`Organization renamed to ${saved}.`, color: "green" });
    },
  });
  return (
    <SettingsCard title={t`Organization`} description={t`The name that all members see.`}>
      <form onSubmit={submit} noValidate>
        <FormError error={error} />
        <Group align="flex-end" gap="xs">
          <TextInput label={t`Name`} withAsterisk maxLength={200} flex={1} maw={420} {...form.getInputProps("name")} />
          <Button type="submit" variant="default" loading={pending} disabled={!form.isDirty()}>
            <Trans>Rename</Trans>
          </Button>
        </Group>
      </form>
    </SettingsCard>
  );
}
