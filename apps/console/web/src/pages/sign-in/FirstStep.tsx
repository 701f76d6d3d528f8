import { Anchor, Button, Divider, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconFingerprint, IconLogin2 } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { passkeyFault, requestPasskey, supportsPasskeys } from "@/api/passkey";
import { FormError } from "@/components/form";

import { departure, domainOf } from "./ways";

interface StepProps {
  /** The page to open after the sign-in. */
  page: string;
  done: (answer: Schema<"SignedIn">) => void;
  /** The slug of the tenant whose issuer is offered first. */
  tenant?: string | undefined;
}

/** The path at which a browser starts to sign in through an issuer. */
const issuerPath = "/api/session/oidc";

/** Shows the ways to sign in: password, passkey and single sign-on. */
export function FirstStep({ page, done, tenant }: StepProps) {
  const methods = useQuery({ queryKey: ["session-methods"], queryFn: () => ask(api.GET("/api/session/methods")), staleTime: Infinity });
  const passkeys = methods.data?.passkeys && supportsPasskeys();
  const oidc = methods.data?.oidc;
  return (
    <Stack>
      {tenant && (
        <>
          <Button component="a" href={departure(issuerPath, page, { tenant })} fullWidth leftSection={<IconLogin2 size={17} />}>
            Sign in through {tenant}
          </Button>
          <Divider label="or" />
        </>
      )}
      <PasswordForm done={done} page={page} issuers={methods.data?.tenant_issuers ?? false} />
      {(passkeys || oidc) && <Divider label="or" />}
      {passkeys && <PasskeyButton done={done} />}
      {oidc && (
        <Button component="a" href={departure(oidc.path, page)} variant="default" fullWidth leftSection={<IconLogin2 size={17} />}>
          {oidc.name}
        </Button>
      )}
    </Stack>
  );
}

function PasswordForm({ done, page, issuers }: Pick<StepProps, "done" | "page"> & { issuers: boolean }) {
  const form = useForm({
    initialValues: { email: "", password: "" },
    validate: {
      email: (email) => (email.trim() ? null : "Enter your e-mail address."),
      password: (password) => (password ? null : "Enter your password."),
    },
  });
  const leave = () => {
    const domain = domainOf(form.getValues().email);
    if (domain) window.location.assign(departure(issuerPath, page, { domain }));
    else form.setFieldError("email", "Enter the e-mail address that you have at your organisation.");
  };
  const signIn = useMutation({ mutationFn: (body: Schema<"SignIn">) => ask(api.POST("/api/session", { body })), onSuccess: done });
  return (
    <form onSubmit={form.onSubmit(({ email, password }) => signIn.mutate({ email: email.trim(), password }))} noValidate>
      <Stack>
        <FormError error={signIn.error} />
        <TextInput label="E-mail address" type="email" autoComplete="username webauthn" autoFocus maxLength={254} {...form.getInputProps("email")} />
        <PasswordInput label="Password" autoComplete="current-password" maxLength={1024} {...form.getInputProps("password")} />
        <Button type="submit" fullWidth loading={signIn.isPending} mt={4}>
          Sign in
        </Button>
        {issuers && (
          <Button variant="default" fullWidth onClick={leave}>
            Single sign-on
          </Button>
        )}
        <Group justify="center">
          <Anchor component={Link} to="/password-reset" size="sm" c="dimmed">
            Forgotten your password?
          </Anchor>
        </Group>
      </Stack>
    </form>
  );
}

function PasskeyButton({ done }: Pick<StepProps, "done">) {
  const signIn = useMutation({
    mutationFn: async () => {
      const options = await ask(api.POST("/api/session/passkey/begin"));
      const credential = await requestPasskey(options.public_key);
      return ask(api.POST("/api/session/passkey", { body: { credential } }));
    },
    onSuccess: done,
  });
  return (
    <>
      <FormError error={passkeyFault(signIn.error)} />
      <Button variant="default" fullWidth leftSection={<IconFingerprint size={17} />} loading={signIn.isPending} onClick={() => signIn.mutate()}>
        Sign in with a passkey
      </Button>
    </>
  );
}
