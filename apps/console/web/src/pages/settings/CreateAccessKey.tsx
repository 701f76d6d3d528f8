import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Button, Checkbox, Group, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconEyeOff } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { queryClient } from "@/api/query";
import { useIdentity } from "@/api/session";
import { CodeBlock } from "@/components/CodeBlock";
import { Modal } from "@/components/dialog";
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
    <Modal opened={opened} onClose={close} title={t`Create an access key`}>
      <CreateForm close={close} created={created} />
    </Modal>
  );
}

/** The times after which a key can expire, in days. */
const lifetimes = () => [
  ...[7, 30, 90].map((days) => ({ value: String(days), label: plural(days, { one: "# day", other: "# days" }) })),
  { value: "365", label: t`1 year` },
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
        <TextInput
          label={t`Name`}
          withAsterisk
          placeholder={t`Nightly report`}
          maxLength={200}
          data-autofocus
          {...form.getInputProps("name")}
        />
        <Checkbox.Group
          label={t`Scopes`}
          withAsterisk
          description={t`What the key can do. It never has more rights than you, and can't change users or other access keys.`}
          {...form.getInputProps("scopes")}
        >
          <Stack gap="xs" mt={6}>
            {scopesFor(user.role).map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} description={<span className="mono">{value}</span>} />
            ))}
          </Stack>
        </Checkbox.Group>
        {needsLimit(form.values) && (
          <AmountInput
            label={t`Daily limit`}
            withAsterisk
            description={t`The total amount that the key can grant, adjust and transfer per day (UTC).`}
            {...form.getInputProps("limit")}
          />
        )}
        <TagsInput
          label={t`Allowed IPs`}
          description={t`IP addresses or networks that can use the key. Leave empty to allow any.`}
          placeholder={form.values.addresses.length === 0 ? "203.0.113.7, 2001:db8::/32" : ""} // not translated: addresses
          splitChars={[",", " "]}
          acceptValueOnBlur
          clearable
          maxTags={100}
          {...form.getInputProps("addresses")}
        />
        <Select label={t`Expires in`} allowDeselect={false} data={lifetimes()} {...form.getInputProps("days")} />
        <FormButtons cancel={close} pending={pending}>
          <Trans>Create</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}

/** Shows the value of a new access key once. */
export function KeyValue({ created, close }: { created: Created | undefined; close: () => void }) {
  const name = created?.name;
  return (
    <Modal
      opened={useAfterDialog(created !== undefined)}
      onClose={close}
      title={t`Your new access key`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {created && (
        <Stack>
          <Alert icon={<IconEyeOff size={18} />} color="yellow">
            <Trans>Copy the access key {name} now and store it securely. You won't see it again.</Trans>
          </Alert>
          <CodeBlock code={created.value} label={t`access key`} wrap />
          <Text fw={600}>
            <Trans>Try it</Trans>
          </Text>
          <CodeBlock
            code={`curl ${window.location.origin}/api/session \\\n  -H "Authorization: Bearer ${created.value}"`}
            label={t`curl command`}
          />
          <Group justify="flex-end">
            <Button onClick={close}>
              <Trans>I have copied it</Trans>
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
