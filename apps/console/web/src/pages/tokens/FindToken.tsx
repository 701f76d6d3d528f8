import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";

import { lookUpToken } from "@/api/tokenValue";
import { Modal } from "@/components/dialog";
import { FormButtons, FormError, useSubmit } from "@/components/form";

interface FindProps {
  /** The value to begin with, "" for none, or undefined while the dialog is closed. */
  value: string | undefined;
  close: () => void;
}

/** Finds a token by its whole value, such as one that was found in a public repository, and opens its page. */
export function FindToken({ value, close }: FindProps) {
  return (
    <Modal opened={value !== undefined} onClose={close} title={t`Find a leaked token`}>
      <FindForm value={value ?? ""} close={close} />
    </Modal>
  );
}

function FindForm({ value, close }: { value: string; close: () => void }) {
  const navigate = useNavigate();
  const form = useForm({
    initialValues: { value },
    validate: { value: (text) => (text.trim() ? null : t`Enter the whole value of the token.`) },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ value: text }: typeof form.values) => lookUpToken(text.trim()),
    done: async (token) => {
      if (!token) {
        form.setFieldError("value", t`No token that you can see has this value.`);
        return;
      }
      close();
      await navigate({ to: "/tokens/$id", params: { id: token.id } });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <Text size="sm">
          <Trans>
            Paste the value as it was found. It is compared with the tokens that you can see, and neither stored nor
            logged. The page of the token shows its owner and its requests, and you can revoke it there.
          </Trans>
        </Text>
        <PasswordInput
          label={t`Value of the token`}
          withAsterisk
          autoComplete="off"
          maxLength={512}
          data-autofocus
          {...form.getInputProps("value")}
        />
        <FormButtons cancel={close} pending={pending}>
          <Trans>Find token</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
