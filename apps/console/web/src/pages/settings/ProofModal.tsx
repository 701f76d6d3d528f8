import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";

import type { Schema } from "@/api/client";
import { useSubmit, FormError } from "@/components/form";

import { refreshFactors } from "./factors";

interface ProofModalProps {
  opened: boolean;
  close: () => void;
  title: string;
  note: string;
  /** The label of the button. */
  word: string;
  destructive?: boolean;
  act: (proof: Schema<"FullProof">) => Promise<void>;
}

/** Asks for the password and a code before the second factor itself is changed. */
export function ProofModal({ opened, close, title, ...rest }: ProofModalProps) {
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <ProofForm close={close} {...rest} />
    </Modal>
  );
}

function ProofForm({ close, note, word, destructive, act }: Omit<ProofModalProps, "opened" | "title">) {
  const form = useForm({
    initialValues: { password: "", code: "" },
    validate: {
      password: (password) => (password ? null : t`Enter your password.`),
      code: (code) => (code.trim() ? null : t`Enter the code.`),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ password, code }: typeof form.values) => act({ password, code: code.trim() }),
    done: async () => {
      close();
      await refreshFactors();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text c="dimmed">{note}</Text>
        <FormError error={error} />
        <PasswordInput
          label={t`Password`}
          autoComplete="current-password"
          maxLength={1024}
          data-autofocus
          {...form.getInputProps("password")}
        />
        <TextInput
          label={t`Code`}
          description={t`The 6-digit code from your authenticator app, or a recovery code`}
          autoComplete="one-time-code"
          maxLength={100}
          classNames={{ input: "mono" }}
          {...form.getInputProps("code")}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={pending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" color={destructive ? "red" : undefined} loading={pending}>
            {word}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
