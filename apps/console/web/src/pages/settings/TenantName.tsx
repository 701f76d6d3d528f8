import { Button, Group, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";

import { api, ask } from "@/api/client";
import { queryClient, sessionQuery } from "@/api/query";
import { useSubmit, FormError } from "@/components/form";

import { SettingsCard } from "./SettingsCard";

/** Edits the name of the tenant, for owners. */
export function TenantName({ name }: { name: string }) {
  const form = useForm({ initialValues: { name }, validate: { name: (text) => (text.trim() ? null : "Enter a name.") } });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: { name: string }) => ask(api.PATCH("/api/tenant", { body: { name: values.name.trim() } })),
    done: async (tenant) => {
      form.resetDirty();
      await Promise.all([queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }), queryClient.invalidateQueries({ queryKey: ["tenant"] })]);
      notifications.show({ message: `Your organisation is called ${tenant.name} now.`, color: "green" });
    },
  });
  return (
    <SettingsCard title="Organisation" description="The name that all its members see.">
      <form onSubmit={submit} noValidate>
        <FormError error={error} />
        <Group align="flex-end" gap="xs">
          <TextInput label="Name" maxLength={200} flex={1} maw={420} {...form.getInputProps("name")} />
          <Button type="submit" variant="default" loading={pending} disabled={!form.isDirty()}>
            Rename
          </Button>
        </Group>
      </form>
    </SettingsCard>
  );
}
