import { Anchor, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { ErrorState, LoadingState } from "@/components/states";
import { Moment } from "@/components/values";

import { NewPasswordForm } from "./NewPasswordForm";
import { PublicFrame } from "./PublicFrame";
import { identityIn, useEntry } from "./useEntry";
import { secretOf } from "./ways";

const roles = { owner: "an owner", admin: "an admin", member: "a member", operator: "an operator" } as const;

/** Opens the link of an invitation. The invited person sets a password and is then signed in. */
export function Invitation() {
  const secret = secretOf(useLocation({ select: (location) => location.hash })) ?? "";
  const enter = useEntry();
  const invitation = useQuery({ queryKey: ["invitation", secret], queryFn: () => ask(api.POST("/api/invitations/lookup", { body: { secret } })), staleTime: Infinity, enabled: secret !== "" });
  const accept = async (password: string) => {
    const identity = identityIn(await ask(api.POST("/api/invitations/accept", { body: { secret, password } })));
    if (identity) enter(identity, "/");
  };
  const failure = secret === "" ? new Error("The address has no invitation in it. Open the link as you got it.") : invitation.error;
  return (
    <PublicFrame title="You are invited" description={invitation.data && <Invited invitation={invitation.data} />}>
      {invitation.data && <NewPasswordForm email={invitation.data.email} word="Set the password and sign in" set={accept} />}
      {invitation.isLoading && <LoadingState />}
      {failure && <ErrorState error={failure} title="This invitation cannot be used" />}
      <Group justify="center">
        <Anchor component={Link} to="/sign-in" size="sm" c="dimmed">
          I have an account
        </Anchor>
      </Group>
    </PublicFrame>
  );
}

function Invited({ invitation: { tenant, role, expires_at } }: { invitation: Schema<"OpenInvitation"> }) {
  return (
    <>
      {tenant ? (
        <>
          <Text component="span" inherit c="var(--mantine-color-text)" fw={500}>
            {tenant}
          </Text>{" "}
          invites you to its model gateway as {roles[role]}.
        </>
      ) : (
        <>You are to run the platform as {roles[role]}.</>
      )}{" "}
      The invitation ends <Moment at={expires_at} />.
    </>
  );
}
