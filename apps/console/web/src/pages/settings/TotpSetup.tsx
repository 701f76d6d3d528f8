import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Box, Center, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { QRCodeSVG } from "qrcode.react";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { applyProblem, FormButtons, FormError } from "@/components/form";
import { Copyable } from "@/components/values";

import { refreshFactors } from "./factors";
import { RecoveryCodes } from "./RecoveryCodes";

type Enrolment = Schema<"TOTPEnrolment">;

/** Sets up an authenticator app in steps: password, QR code, a code from the app, recovery codes. */
export function TotpSetup({ opened, close }: { opened: boolean; close: () => void }) {
  // A click outside must not close the dialog while it shows the recovery codes.
  const [shown, setShown] = useState(false);
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t`Set up an authenticator app`}
      closeOnClickOutside={!shown}
      closeOnEscape={!shown}
      onExitTransitionEnd={() => setShown(false)}
    >
      <Steps close={close} onCodes={() => setShown(true)} />
    </Modal>
  );
}

function Steps({ close, onCodes }: { close: () => void; onCodes: () => void }) {
  const [enrolment, setEnrolment] = useState<Enrolment>();
  const [codes, setCodes] = useState<string[]>();
  if (codes) return <RecoveryCodes codes={codes} done={close} />;
  if (!enrolment) return <PasswordStep begun={setEnrolment} close={close} />;
  const confirmed = (made: string[]) => {
    setCodes(made);
    onCodes();
  };
  return <CodeStep enrolment={enrolment} confirmed={confirmed} close={close} />;
}

function PasswordStep({ begun, close }: { begun: (enrolment: Enrolment) => void; close: () => void }) {
  const [error, setError] = useState<unknown>();
  const form = useForm({
    initialValues: { password: "" },
    validate: { password: (password) => (password ? null : t`Enter your password.`) },
  });
  const begin = useMutation({
    mutationFn: (password: string) => ask(api.POST("/api/session/totp", { body: { password } })),
    onError: (failure) => setError(applyProblem(form, failure)),
    onSuccess: begun,
  });
  const submit = form.onSubmit(({ password }) => {
    setError(undefined);
    begin.mutate(password);
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        <PasswordInput
          label={t`Your password`}
          autoComplete="current-password"
          maxLength={1024}
          data-autofocus
          {...form.getInputProps("password")}
        />
        <FormButtons cancel={close} pending={begin.isPending}>
          <Trans>Continue</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}

interface CodeStepProps {
  enrolment: Enrolment;
  confirmed: (recoveryCodes: string[]) => void;
  close: () => void;
}

function CodeStep({ enrolment, confirmed, close }: CodeStepProps) {
  const [error, setError] = useState<unknown>();
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (code) => (/^\d{6}$/.test(code.replaceAll(/\s/g, "")) ? null : t`Enter the 6-digit code.`) },
  });
  const confirm = useMutation({
    mutationFn: (code: string) => ask(api.POST("/api/session/totp/confirm", { body: { code } })),
    onError: (failure) => setError(applyProblem(form, failure)),
    onSuccess: ({ recovery_codes }) => {
      confirmed(recovery_codes);
      // The factor is on from now, however the user leaves the recovery codes.
      void refreshFactors();
    },
  });
  const submit = form.onSubmit(({ code }) => {
    setError(undefined);
    confirm.mutate(code.replaceAll(/\s/g, ""));
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text c="dimmed">
          <Trans>Scan this QR code with your authenticator app, then enter the code that it shows.</Trans>
        </Text>
        <Center>
          <Box bg="white" p={12} bdrs="md">
            <QRCodeSVG value={enrolment.uri} size={184} level="M" title={t`QR code for the authenticator app`} />
          </Box>
        </Center>
        <Text size="sm" c="dimmed" component="div">
          <Trans>
            Can't scan? <Anchor href={enrolment.uri}>Open it on this device</Anchor>, or enter this key:
          </Trans>
          <Box mt={4} c="var(--mantine-color-text)" style={{ overflowWrap: "anywhere" }}>
            <Copyable value={enrolment.secret} label={t`key`} />
          </Box>
        </Text>
        <FormError error={error} />
        <TextInput
          label={t`Code`}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
          autoFocus
          classNames={{ input: "mono" }}
          {...form.getInputProps("code")}
        />
        <FormButtons cancel={close} pending={confirm.isPending}>
          <Trans>Turn on</Trans>
        </FormButtons>
      </Stack>
    </form>
  );
}
