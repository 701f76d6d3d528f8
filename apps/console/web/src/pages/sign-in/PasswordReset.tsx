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
    <Anchor component={Link} to="/sign-in" size="sm" c="dimmed">
      Back to the sign-in
    </Anchor>
  </Group>
);

function Request() {
  const form = useForm({ initialValues: { email: "" }, validate: { email: (email) => (email.trim() ? null : "Enter your e-mail address.") } });
  const request = useMutation({ mutationFn: (email: string) => ask(api.POST("/api/session/password-reset", { body: { email } })) });
  return (
    <PublicFrame title="Reset your password" description="We mail you a link by which you set a new one.">
      {request.isSuccess ? (
        <Alert color="green" role="status" icon={<IconMailForward size={18} />} title="Look into your mail">
          Where there is an account with this address, a link is on its way. It is good for an hour. No mail? Ask an admin of your organisation for a link.
        </Alert>
      ) : (
        <form onSubmit={form.onSubmit(({ email }) => request.mutate(email.trim()))} noValidate>
          <Stack>
            <FormError error={request.error} />
            <TextInput label="E-mail address" type="email" autoComplete="username" autoFocus maxLength={254} {...form.getInputProps("email")} />
            <Button type="submit" fullWidth loading={request.isPending}>
              Mail me a link
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
  const reset = useQuery({ queryKey: ["password-reset", secret], queryFn: () => ask(api.POST("/api/session/password-reset/lookup", { body: { secret } })), staleTime: Infinity, enabled: !done });
  const complete = async (password: string) => {
    await ask(api.POST("/api/session/password-reset/complete", { body: { secret, password } }));
    setDone(true);
    forgetEverything();
  };
  if (done) {
    return (
      <PublicFrame title="Your password is set" description="All your sessions were ended. Sign in with the new password.">
        <Button component={Link} to="/sign-in" fullWidth>
          Sign in
        </Button>
      </PublicFrame>
    );
  }
  return (
    <PublicFrame title="Set a new password">
      {reset.data && <NewPasswordForm email={reset.data.email} word="Set the password" set={complete} />}
      {reset.isPending && <LoadingState />}
      {reset.error && (
        <>
          <ErrorState error={reset.error} title="This link cannot be used" />
          <Text ta="center" size="sm">
            <Anchor component={Link} to="/password-reset" hash="">
              Ask for a new link
            </Anchor>
          </Text>
        </>
      )}
      <BackToSignIn />
    </PublicFrame>
  );
}
