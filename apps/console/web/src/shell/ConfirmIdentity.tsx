import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Divider, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconFingerprint, IconLogin2 } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { confirmedChannel, type Question } from "@/api/confirmation";
import { passkeyFault, requestPasskey, supportsPasskeys } from "@/api/passkey";
import { FormButtons, FormError, useSubmit } from "@/components/form";
import { ErrorState, LoadingState } from "@/components/states";

type Confirmation = Schema<"Confirmation">;

const above = 400; // the z-index: this dialog can open over any other

/** The dialog that asks the user to confirm. It is open while there is a question. */
export default function ConfirmIdentity({ question }: { question: Question | undefined }) {
  return (
    <Modal
      opened={question !== undefined}
      onClose={() => question?.answer(false)}
      title={t`Confirm that it's you`}
      zIndex={above}
      closeOnEscape={false} // Confirmations listens for Escape
      closeOnClickOutside={false}
      returnFocus={false}
      closeButtonProps={{ "aria-label": t`Close` }}
    >
      {question && <Ways question={question} />}
    </Modal>
  );
}

function Ways({ question }: { question: Question }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["confirmation"],
    queryFn: () => ask(api.GET("/api/session/confirmation")),
    staleTime: 0,
    gcTime: 0,
  });
  useConfirmedElsewhere(() => question.answer(true));
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <LoadingState />;
  return <Proofs confirmation={data} question={question} />;
}

/** Calls `done` when another tab tells that the user has signed in again at the identity provider. */
function useConfirmedElsewhere(done: () => void) {
  useEffect(() => {
    const channel = new BroadcastChannel(confirmedChannel);
    channel.onmessage = done;
    return () => channel.close();
  });
}

function Proofs({ confirmation: { methods, oidc }, question }: { confirmation: Confirmation; question: Question }) {
  const passkey = methods.includes("passkey") && supportsPasskeys();
  const codes = methods.includes("totp") || methods.includes("recovery_code");
  const password = methods.includes("password");
  const issuer = oidc?.name;
  const [byCode, setByCode] = useState(!password);
  const done = () => question.answer(true);
  const cancel = () => question.answer(false);
  const form = byCode ? codes : password;
  return (
    <Stack>
      <Text c="dimmed">
        <Trans>You last confirmed more than 15 minutes ago. Your change continues once you confirm.</Trans>
      </Text>
      {form && <ProofForm key={String(byCode)} byCode={byCode} done={done} cancel={cancel} />}
      {codes && password && (
        <Group justify="center">
          <Anchor component="button" type="button" size="sm" onClick={() => setByCode(!byCode)}>
            {byCode ? <Trans>Use your password</Trans> : <Trans>Use a code from your authenticator app</Trans>}
          </Anchor>
        </Group>
      )}
      {form && (passkey || oidc) && <Divider label={t`or`} />}
      {passkey && <PasskeyButton done={done} />}
      {oidc && (
        <Button
          component="a"
          href={`${oidc.path}?return=${encodeURIComponent("/confirmed")}`}
          target="_blank"
          variant="default"
          fullWidth
          leftSection={<IconLogin2 size={17} />}
        >
          <Trans>Sign in again: {issuer}</Trans>
        </Button>
      )}
      {!form && !passkey && !oidc && (
        <Text>
          <Trans>You can't confirm here. Sign out, then sign in again.</Trans>
        </Text>
      )}
      {!form && (
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            <Trans>Cancel</Trans>
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function ProofForm({ byCode, done, cancel }: { byCode: boolean; done: () => void; cancel: () => void }) {
  const field = byCode ? "code" : "password";
  const form = useForm({
    initialValues: { password: "", code: "" },
    validate: {
      password: (text) => (byCode || text ? null : t`Enter your password.`),
      code: (text) => (!byCode || text.trim() ? null : t`Enter the code.`),
    },
  });
  const { submit, pending, error } = useSubmit(form, {
    act: ({ password, code }: typeof form.values) =>
      ask(api.POST("/api/session/confirmation", { body: byCode ? { code: code.trim() } : { password } })),
    done,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        {byCode ? (
          <TextInput
            key={field}
            label={t`Code`}
            description={t`The 6-digit code from your authenticator app, or a recovery code`}
            autoComplete="one-time-code"
            maxLength={100}
            classNames={{ input: "mono" }}
            autoFocus
            data-autofocus
            {...form.getInputProps("code")}
          />
        ) : (
          <PasswordInput
            key={field}
            label={t`Your password`}
            autoComplete="current-password"
            maxLength={1024}
            autoFocus
            data-autofocus
            {...form.getInputProps("password")}
          />
        )}
        <FormButtons cancel={cancel} pending={pending}>
          <Trans>Confirm</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}

function PasskeyButton({ done }: { done: () => void }) {
  const give = useMutation({
    mutationFn: async () => {
      const options = await ask(api.POST("/api/session/confirmation/passkey"));
      const passkey = await requestPasskey(options.public_key);
      return ask(api.POST("/api/session/confirmation", { body: { passkey } }));
    },
    onSuccess: done,
  });
  return (
    <>
      <FormError error={passkeyFault(give.error)} />
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFingerprint size={17} />}
        loading={give.isPending}
        onClick={() => give.mutate()}
      >
        <Trans>Use a passkey</Trans>
      </Button>
    </>
  );
}
