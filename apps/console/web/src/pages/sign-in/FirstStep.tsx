import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { IconFingerprint, IconLogin2 } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";

import { api, ask, type Schema } from "@/api/client";
import { passkeyFault, requestPasskey, supportsPasskeys } from "@/api/passkey";

import { Action, ActionLink, CenteredLink, Failure, Field, Or, PasswordField, Stack } from "./parts";
import { useCall } from "./useCall";
import { departure, domainOf } from "./ways";

interface StepProps {
  /** The page to open after the sign-in. */
  page: string;
  done: (answer: Schema<"SignedIn">) => void;
  /** The slug of the tenant whose issuer is offered first. */
  tenant?: string | undefined;
  /** The only address that can sign in, for a sign-in over a page of its user. */
  email?: string;
}

/** The path at which a browser starts to sign in through an issuer. */
const issuerPath = "/api/session/oidc";

/** Reads the ways to sign in; undefined until they are known. The password always works. */
function useMethods(): Schema<"SignInMethods"> | undefined {
  const [methods, setMethods] = useState<Schema<"SignInMethods">>();
  useEffect(() => {
    let mounted = true;
    void ask(api.GET("/api/session/methods")).then(
      (found) => mounted && setMethods(found),
      () => undefined,
    );
    return () => {
      mounted = false;
    };
  }, []);
  return methods;
}

/**
 * Shows the ways to sign in: password, passkey and single sign-on. Over a page, single sign-on opens a tab of its own.
 */
export function FirstStep({ page, done, tenant, email }: StepProps) {
  const methods = useMethods();
  const passkeys = methods?.passkeys && supportsPasskeys();
  const oidc = methods?.oidc;
  const target = email === undefined ? {} : { target: "_blank" };
  return (
    <Stack>
      {tenant && (
        <>
          <ActionLink
            href={departure(issuerPath, page, { tenant })}
            icon={<IconLogin2 size={17} aria-hidden />}
            {...target}
          >
            <Trans>Sign in with {tenant}</Trans>
          </ActionLink>
          <Or />
        </>
      )}
      <PasswordForm
        done={done}
        page={page}
        issuers={methods?.tenant_issuers ?? false}
        {...(email !== undefined && { email })}
      />
      {(passkeys || oidc) && <Or />}
      {passkeys && <PasskeyButton done={done} />}
      {oidc && (
        <ActionLink plain href={departure(oidc.path, page)} icon={<IconLogin2 size={17} aria-hidden />} {...target}>
          {oidc.name}
        </ActionLink>
      )}
    </Stack>
  );
}

interface Faults {
  email?: string;
  password?: string;
}

function PasswordForm({
  done,
  page,
  issuers,
  email: known,
}: Pick<StepProps, "done" | "page" | "email"> & { issuers: boolean }) {
  const [email, setEmail] = useState(known ?? "");
  const [password, setPassword] = useState("");
  const [faults, setFaults] = useState<Faults>({});
  const signIn = useCall((body: Schema<"SignIn">) => ask(api.POST("/api/session", { body })), done);
  const leave = () => {
    const domain = domainOf(email);
    const place = departure(issuerPath, page, { domain: domain ?? "" });
    if (!domain) setFaults({ email: t`Enter your email address at your organization.` });
    else if (known === undefined) window.location.assign(place);
    else window.open(place, "_blank");
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found: Faults = {
      ...(!email.trim() && { email: t`Enter your email address.` }),
      ...(!password && { password: t`Enter your password.` }),
    };
    setFaults(found);
    if (Object.keys(found).length === 0) signIn.run({ email: email.trim(), password });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Failure error={signIn.error} />
        <Field
          label={t`Email address`}
          type="email"
          autoComplete="username webauthn"
          autoFocus={known === undefined}
          readOnly={known !== undefined}
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={faults.email}
        />
        <PasswordField
          label={t`Password`}
          autoComplete="current-password"
          autoFocus={known !== undefined}
          data-autofocus={known !== undefined || undefined}
          maxLength={1024}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={faults.password}
        />
        <Action type="submit" pending={signIn.pending}>
          <Trans>Sign in</Trans>
        </Action>
        {issuers && (
          <Action plain onClick={leave}>
            <Trans>Single sign-on</Trans>
          </Action>
        )}
        {known === undefined && (
          <CenteredLink href="/password-reset">
            <Trans>Forgot your password?</Trans>
          </CenteredLink>
        )}
      </Stack>
    </form>
  );
}

function PasskeyButton({ done }: Pick<StepProps, "done">) {
  const signIn = useCall(async () => {
    const options = await ask(api.POST("/api/session/passkey/begin"));
    const credential = await requestPasskey(options.public_key);
    return ask(api.POST("/api/session/passkey", { body: { credential } }));
  }, done);
  return (
    <>
      <Failure error={passkeyFault(signIn.error)} />
      <Action
        plain
        icon={<IconFingerprint size={17} aria-hidden />}
        pending={signIn.pending}
        onClick={() => signIn.run(undefined)}
      >
        <Trans>Sign in with a passkey</Trans>
      </Action>
    </>
  );
}
