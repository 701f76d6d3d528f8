import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { createPasskey, passkeyFault } from "@/api/passkey";
import { agentName } from "@/components/agent";
import { applyProblem, FormButtons, FormError } from "@/components/form";

import { refreshPasskeys } from "./factors";

/** Creates a passkey on the device and registers its public key with the console. */
export function AddPasskey({ opened, close }: { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title={t`Add a passkey`}>
      <AddForm close={close} />
    </Modal>
  );
}

function AddForm({ close }: { close: () => void }) {
  const [error, setError] = useState<unknown>();
  const form = useForm({
    initialValues: { name: agentName(navigator.userAgent), password: "" },
    validate: {
      name: (name) => (name.trim() ? null : t`Enter a name.`),
      password: (password) => (password ? null : t`Enter your password.`),
    },
  });
  const add = useMutation({
    mutationFn: async ({ name, password }: typeof form.values) => {
      const options = await ask(api.POST("/api/session/passkeys/begin", { body: { password } }));
      const credential = await createPasskey(options.public_key);
      return ask(api.POST("/api/session/passkeys", { body: { name: name.trim(), credential } }));
    },
    onError: (failure) => setError(applyProblem(form, passkeyFault(failure))),
    onSuccess: async () => {
      await refreshPasskeys();
      notifications.show({ message: t`Passkey added. You can now sign in with it.`, color: "green" });
      close();
    },
  });
  const submit = form.onSubmit((values) => {
    setError(undefined);
    add.mutate(values);
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text c="dimmed">
          <Trans>Next, your browser asks where to save the passkey.</Trans>
        </Text>
        <FormError error={error} />
        <TextInput
          label={t`Name`}
          withAsterisk
          description={t`Helps you recognize the device or the password manager.`}
          maxLength={200}
          {...form.getInputProps("name")}
        />
        <PasswordInput
          label={t`Your password`}
          autoComplete="current-password"
          maxLength={1024}
          data-autofocus
          {...form.getInputProps("password")}
        />
        <FormButtons cancel={close} pending={add.isPending}>
          <Trans>Continue</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
