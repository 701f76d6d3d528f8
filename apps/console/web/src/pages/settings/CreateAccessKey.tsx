import { Alert, Button, Checkbox, Group, Modal, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconEyeOff } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { useIdentity } from "@/api/session";
import { CodeBlock } from "@/components/CodeBlock";
import { AmountInput, FormButtons, FormError, useSubmit } from "@/components/form";
import { useAfterDialog } from "@/components/useAfterDialog";

import { type AccessKeyValues, blank, fieldNames, needsLimit, newAccessKey, rules, scopesFor } from "./accessKeyForm";

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

function CreateForm({ close, created }: Omit<CreateProps, "opened">) {
  const { user } = useIdentity();
  const form = useForm<AccessKeyValues>({ initialValues: blank, validate: rules });
  const { submit, pending, error } = useSubmit(form, {
    act: (values: AccessKeyValues) => ask(api.POST("/api/access-keys", { body: newAccessKey(values, Date.now()) })),
    names: fieldNames,
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
        <Checkbox.Group label="Scopes" description="What the key may do. It never has more rights than you, and cannot change people or other keys." {...form.getInputProps("scopes")}>
          <Stack gap="xs" mt={6}>
            {scopesFor(user.role).map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} description={<span className="mono">{value}</span>} />
            ))}
          </Stack>
        </Checkbox.Group>
        {needsLimit(form.values) && (
          <AmountInput label="Limit per day" description="The most that the key may grant, adjust and transfer in one day (UTC), all amounts together." {...form.getInputProps("limit")} />
        )}
        <TagsInput
          label="Addresses"
          description="Where calls may come from: addresses or networks. None: from everywhere."
          placeholder={form.values.addresses.length === 0 ? "203.0.113.7, 2001:db8::/32" : ""}
          splitChars={[",", " "]}
          acceptValueOnBlur
          clearable
          maxTags={100}
          {...form.getInputProps("addresses")}
        />
        <Select label="Expires in" allowDeselect={false} data={lifetimes} {...form.getInputProps("days")} />
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
          <CodeBlock code={`curl ${window.location.origin}/api/session \\\n  -H "Authorization: Bearer ${created.value}"`} label="curl code" />
          <Group justify="flex-end">
            <Button onClick={close}>I have copied it</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
