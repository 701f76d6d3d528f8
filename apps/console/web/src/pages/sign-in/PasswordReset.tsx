import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Alert, Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconMailForward } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";

import { api, ask } from "@/api/client";
import { forgetEverything } from "@/api/session";
import { FormError } from "@/components/form";
import { ErrorState, LoadingState } from "@/components/states";

import { NewPasswordForm } from "./NewPasswordForm";
import { PublicFrame } from "./PublicFrame";
import { secretOf } from "./ways";

/**
 * Resets a forgotten password. Without a secret in the address it sends a link by e-mail; the link leads here with a
 * secret and sets the password.
 */
export function PasswordReset() {
  const secret = secretOf(useLocation({ select: (location) => location.hash }));
  return secret === undefined ? <Request /> : <Completion key={secret} secret={secret} />;
}

const BackToSignIn = () => (
  <Group justify="center">
    <Anchor component={Link} to="/sign-in" reloadDocument size="sm" c="dimmed">
      <Trans>Back to sign-in</Trans>
    </Anchor>
  </Group>
);

function Request() {
  const form = useForm({
    initialValues: { email: "" },
    validate: { email: (email) => (email.trim() ? null : t`Enter your email address.`) },
  });
  const request = useMutation({
    mutationFn: (email: string) => ask(api.POST("/api/session/password-reset", { body: { email } })),
  });
  return (
    <PublicFrame title={t`Reset your password`} description={t`We will email you a link to set a new one.`}>
      {request.isSuccess ? (
        <Alert color="green" role="status" icon={<IconMailForward size={18} />} title={t`Check your email`}>
          <Trans>
            If an account has this address, we have sent it a link that works for one hour. No email? Ask an admin of
            your organization for a link.
          </Trans>
        </Alert>
      ) : (
        <form onSubmit={form.onSubmit(({ email }) => request.mutate(email.trim()))} noValidate>
          <Stack>
            <FormError error={request.error} />
            <TextInput
              label={t`Email address`}
              type="email"
              autoComplete="username"
              autoFocus
              maxLength={254}
              {...form.getInputProps("email")}
            />
            <Button type="submit" fullWidth loading={request.isPending}>
              <Trans>Email me a link</Trans>
            </Button>
          </Stack>
        </form>
      )}
      <BackToSignIn />
    </PublicFrame>
  );
}

function Completion({ secret }: { secret: string }) {
  const [done, setDone] = useState(false);
  const reset = useQuery({
    queryKey: ["password-reset", secret],
    queryFn: () => ask(api.POST("/api/session/password-reset/lookup", { body: { secret } })),
    staleTime: Infinity,
    enabled: !done,
  });
  const complete = async (password: string) => {
    await ask(api.POST("/api/session/password-reset/complete", { body: { secret, password } }));
    setDone(true);
    forgetEverything();
  };
  if (done) {
    return (
      <PublicFrame
        title={t`Password changed`}
        description={t`You were signed out everywhere. Sign in with the new password.`}
      >
        <Button component={Link} to="/sign-in" reloadDocument fullWidth>
          <Trans>Sign in</Trans>
        </Button>
      </PublicFrame>
    );
  }
  return (
    <PublicFrame title={t`Set a new password`}>
      {reset.data && <NewPasswordForm email={reset.data.email} word={t`Set password`} set={complete} />}
      {reset.isPending && <LoadingState />}
      {reset.error && (
        <>
          <ErrorState error={reset.error} title={t`This link can't be used`} />
          <Text ta="center" size="sm">
            <Anchor component={Link} to="/password-reset" hash="">
              <Trans>Get a new link</Trans>
            </Anchor>
          </Text>
        </>
      )}
      <BackToSignIn />
    </PublicFrame>
  );
}
