import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconFingerprint } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { noPasskeys, passkeyFault, requestPasskey, supportsPasskeys } from "@/api/passkey";
import { hasStatus, Problem } from "@/api/problem";

import { Action, Centered, Dimmed, Failure, Field, Or, Stack, TextButton } from "./parts";
import { useCall } from "./useCall";

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
      {byCode && byPasskey && <Or />}
      {byPasskey &&
        (supportsPasskeys() ? <PasskeyButton challenge={challenge} done={done} /> : <Dimmed>{noPasskeys()}</Dimmed>)}
      <Centered>
        <TextButton dimmed onClick={restart}>
          <Trans>Start again</Trans>
        </TextButton>
      </Centered>
    </Stack>
  );
}

function CodeForm({ factor: { methods, challenge }, done }: Omit<StepProps, "restart">) {
  const [recovery, setRecovery] = useState(!methods.includes("totp"));
  const [code, setCode] = useState("");
  const [empty, setEmpty] = useState(false);
  const give = useCall(
    (given: string) => ask(api.POST("/api/session/second-factor", { body: { challenge, code: given } })),
    done,
  );
  const swap = () => {
    setRecovery(!recovery);
    setCode("");
    setEmpty(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEmpty(!code.trim());
    if (code.trim()) give.run(code.trim());
  };
  const { field, whole } = faultOf(give.error);
  const input = { value: code, error: empty ? t`Enter the code.` : field, autoFocus: true, maxLength: 100, code: true };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Failure error={whole} />
        {recovery ? (
          <Field
            key="recovery"
            label={t`Recovery code`}
            description={t`One of the codes that you saved. Each works once.`}
            autoComplete="off"
            onChange={(event) => setCode(event.currentTarget.value)}
            {...input}
          />
        ) : (
          <Field
            key="code"
            label={t`Code`}
            description={t`The 6-digit code from your authenticator app`}
            inputMode="numeric"
            autoComplete="one-time-code"
            onChange={(event) => setCode(event.currentTarget.value)}
            {...input}
          />
        )}
        <Action type="submit" pending={give.pending}>
          <Trans>Continue</Trans>
        </Action>
        {methods.includes("totp") && methods.includes("recovery_code") && (
          <Centered>
            <TextButton onClick={swap}>
              {recovery ? <Trans>Use the authenticator app</Trans> : <Trans>Use a recovery code</Trans>}
            </TextButton>
          </Centered>
        )}
      </Stack>
    </form>
  );
}

/** Returns where to show why a code was refused: at the field, or above the form. */
function faultOf(error: unknown): { field?: string | undefined; whole?: unknown } {
  if (hasStatus(error, 401)) return { whole: t`This sign-in expired or had too many attempts. Start again.` };
  const field = error instanceof Problem ? error.fields.find(({ param }) => param === "code")?.message : undefined;
  return field === undefined ? { whole: error } : { field };
}

function PasskeyButton({ challenge, done }: { challenge: string; done: StepProps["done"] }) {
  const give = useCall(async () => {
    const options = await ask(api.POST("/api/session/second-factor/passkey", { body: { challenge } }));
    const passkey = await requestPasskey(options.public_key);
    return ask(api.POST("/api/session/second-factor", { body: { challenge, passkey } }));
  }, done);
  return (
    <>
      <Failure error={passkeyFault(give.error)} />
      <Action
        plain
        icon={<IconFingerprint size={17} aria-hidden />}
        pending={give.pending}
        onClick={() => give.run(undefined)}
      >
        <Trans>Use a passkey</Trans>
      </Action>
    </>
  );
}
