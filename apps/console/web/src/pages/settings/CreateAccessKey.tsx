import { Alert, Button, Group, Modal, Radio, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconEyeOff } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { CodeBlock } from "@/components/CodeBlock";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { useAfterDialog } from "@/components/useAfterDialog";

type Created = Schema<"CreatedAccessKey">;

interface CreateProps {
  opened: boolean;
  close: () => void;
  created: (key: Created) => void;
}

/** Creates an access key of the signed-in user. */
export function CreateAccessKey({ opened, close, created }: CreateProps) {
  return (
    <Modal opened={opened} onClose={close} title="Create an access key">
      <CreateForm close={close} created={created} />
    </Modal>
  );
}

const lifetimes = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "A year" },
];

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

function CreateForm({ close, created }: Omit<CreateProps, "opened">) {
  const form = useForm({ initialValues: { name: "", access: "read", expires_at: "90" }, validate: { name: (name) => (name.trim() ? null : "Enter a name.") } });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ name, access, expires_at }: typeof form.values) =>
      ask(api.POST("/api/access-keys", { body: { name: name.trim(), access: access === "write" ? "write" : "read", expires_at: inDays(Number(expires_at)) } })),
    done: async (key) => {
      await queryClient.invalidateQueries({ queryKey: ["access-keys"] });
      close();
      created(key);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label="Name" placeholder="Nightly report" maxLength={200} data-autofocus {...form.getInputProps("name")} />
        <Radio.Group label="Access" {...form.getInputProps("access")}>
          <Stack gap="xs" mt={6}>
            <Radio value="read" label="Read" description="Everything that you may see." />
            <Radio value="write" label="Read and write" description="Everything that you may do, but for passwords, sessions and access keys." />
          </Stack>
        </Radio.Group>
        <Select label="Expires in" allowDeselect={false} data={lifetimes} {...form.getInputProps("expires_at")} />
        <FormButtons cancel={close} pending={pending}>Create</FormButtons>
      </Stack>
    </form>
  );
}

/** Shows the value of a new access key once. */
export function KeyValue({ created, close }: { created: Created | undefined; close: () => void }) {
  return (
    <Modal opened={useAfterDialog(created !== undefined)} onClose={close} title="Your new access key" size="lg" closeOnClickOutside={false}>
      {created && (
        <Stack>
          <Alert icon={<IconEyeOff size={18} />} color="yellow">
            This is the only time that the value of {created.name} is shown. Copy it now and keep it as you keep a password.
          </Alert>
          <CodeBlock code={created.value} label="access key" wrap />
          <Text fw={600}>Try it</Text>
          <CodeBlock code={`curl ${window.location.origin}/api/usage-logs \\\n  -H "Authorization: Bearer ${created.value}"`} label="curl code" />
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
