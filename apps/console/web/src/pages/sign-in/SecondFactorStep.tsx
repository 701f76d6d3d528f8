import { Anchor, Button, Divider, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { noPasskeys, passkeyFault, requestPasskey, supportsPasskeys } from "@/api/passkey";
import { hasStatus } from "@/api/problem";
import { applyProblem, FormError } from "@/components/form";

interface StepProps {
  factor: Schema<"SecondFactor">;
  done: (answer: Schema<"SignedIn">) => void;
  /** Starts the sign-in again from the first step. */
  restart: () => void;
}

/** Asks for the second factor after the password. */
export function SecondFactorStep({ factor, done, restart }: StepProps) {
  const { methods, challenge } = factor;
  const byCode = methods.includes("totp") || methods.includes("recovery_code");
  const byPasskey = methods.includes("passkey");
  return (
    <Stack>
      {byCode && <CodeForm factor={factor} done={done} />}
      {byCode && byPasskey && <Divider label="or" />}
      {byPasskey && (supportsPasskeys() ? <PasskeyButton challenge={challenge} done={done} /> : <Text c="dimmed">{noPasskeys}</Text>)}
      <Group justify="center">
        <Anchor component="button" type="button" size="sm" c="dimmed" onClick={restart}>
          Start again
        </Anchor>
      </Group>
    </Stack>
  );
}

function CodeForm({ factor: { methods, challenge }, done }: Omit<StepProps, "restart">) {
  const [recovery, setRecovery] = useState(!methods.includes("totp"));
  const [error, setError] = useState<unknown>();
  const form = useForm({ initialValues: { code: "" }, validate: { code: (code) => (code.trim() ? null : "Enter the code.") } });
  const give = useMutation({
    mutationFn: (code: string) => ask(api.POST("/api/session/second-factor", { body: { challenge, code } })),
    onSuccess: done,
    onError: (failure) => {
      setError(hasStatus(failure, 401) ? new Error("The sign-in took too long, or was tried too often. Start again.") : applyProblem(form, failure));
    },
  });
  const swap = () => {
    setRecovery(!recovery);
    form.reset();
  };
  const submit = form.onSubmit(({ code }) => {
    setError(undefined);
    give.mutate(code.trim());
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FormError error={error} />
        {recovery ? (
          <TextInput key="recovery" label="Recovery code" description="One of those that you kept. Each is good once." autoComplete="off" autoFocus maxLength={100} classNames={{ input: "mono" }} {...form.getInputProps("code")} />
        ) : (
          <TextInput key="code" label="Code" description="The six digits of your authenticator app." inputMode="numeric" autoComplete="one-time-code" autoFocus maxLength={100} classNames={{ input: "mono" }} {...form.getInputProps("code")} />
        )}
        <Button type="submit" fullWidth loading={give.isPending}>
          Go on
        </Button>
        {methods.includes("totp") && methods.includes("recovery_code") && (
          <Group justify="center">
            <Anchor component="button" type="button" size="sm" onClick={swap}>
              {recovery ? "Use the authenticator app" : "Use a recovery code"}
            </Anchor>
          </Group>
        )}
      </Stack>
    </form>
  );
}

function PasskeyButton({ challenge, done }: { challenge: string; done: StepProps["done"] }) {
  const give = useMutation({
    mutationFn: async () => {
      const options = await ask(api.POST("/api/session/second-factor/passkey", { body: { challenge } }));
      const passkey = await requestPasskey(options.public_key);
      return ask(api.POST("/api/session/second-factor", { body: { challenge, passkey } }));
    },
    onSuccess: done,
  });
  return (
    <>
      <FormError error={passkeyFault(give.error)} />
      <Button variant="default" fullWidth leftSection={<IconFingerprint size={17} />} loading={give.isPending} onClick={() => give.mutate()}>
        Use a passkey
      </Button>
    </>
  );
}
