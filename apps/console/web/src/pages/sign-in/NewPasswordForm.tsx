import { t } from "@lingui/core/macro";
import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { applyProblem, FormError } from "@/components/form";

interface NewPasswordFormProps {
  /** The address of the account. It is shown, and password managers store it with the password. */
  email: string;
  /** The label of the button. */
  word: string;
  set: (password: string) => Promise<unknown>;
}

/** Asks for a new password twice. */
export function NewPasswordForm({ email, word, set }: NewPasswordFormProps) {
  const [error, setError] = useState<unknown>();
  const form = useForm({
    initialValues: { password: "", again: "" },
    validate: {
      password: (password) => (password.length >= 8 ? null : t`Use at least 8 characters.`),
      again: (again, { password }) => (again === password ? null : t`The passwords don't match.`),
    },
  });
  const setting = useMutation({ mutationFn: set, onError: (failure) => setError(applyProblem(form, failure)) });
  const submit = form.onSubmit(({ password }) => {
    setError(undefined);
    setting.mutate(password);
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <TextInput label={t`Email address`} value={email} readOnly autoComplete="username" />
        <PasswordInput
          label={t`New password`}
          description={t`At least 8 characters`}
          autoComplete="new-password"
          maxLength={1024}
          autoFocus
          {...form.getInputProps("password")}
        />
        <PasswordInput
          label={t`Repeat the new password`}
          autoComplete="new-password"
          maxLength={1024}
          {...form.getInputProps("again")}
        />
        <Button type="submit" fullWidth loading={setting.isPending} mt={4}>
          {word}
        </Button>
      </Stack>
    </form>
  );
}
