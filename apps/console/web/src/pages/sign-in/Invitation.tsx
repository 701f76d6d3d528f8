import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Anchor, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";

import { api, ask, type Schema } from "@/api/client";
import { ErrorState, LoadingState } from "@/components/states";
import { Moment } from "@/components/values";

import { NewPasswordForm } from "./NewPasswordForm";
import { PublicFrame } from "./PublicFrame";
import { identityIn } from "./identity";
import { useEntry } from "./useEntry";
import { secretOf } from "./ways";

/** Opens the link of an invitation. The invited person sets a password and is then signed in. */
export function Invitation() {
  const secret = secretOf(useLocation({ select: (location) => location.hash })) ?? "";
  const enter = useEntry();
  const invitation = useQuery({
    queryKey: ["invitation", secret],
    queryFn: () => ask(api.POST("/api/invitations/lookup", { body: { secret } })),
    staleTime: Infinity,
    enabled: secret !== "",
  });
  const accept = async (password: string) => {
    const identity = identityIn(await ask(api.POST("/api/invitations/accept", { body: { secret, password } })));
    if (identity) enter(identity, "/");
  };
  const failure =
    secret === ""
      ? new Error(t`This address has no invitation in it. Open the link exactly as you received it.`)
      : invitation.error;
  return (
    <PublicFrame title={t`You're invited`} description={invitation.data && <Invited invitation={invitation.data} />}>
      {invitation.data && (
        <NewPasswordForm email={invitation.data.email} word={t`Set password and sign in`} set={accept} />
      )}
      {invitation.isLoading && <LoadingState />}
      {failure && <ErrorState error={failure} title={t`This invitation can't be used`} />}
      <Group justify="center">
        <Anchor component={Link} to="/sign-in" reloadDocument size="sm" c="dimmed">
          <Trans>I already have an account</Trans>
        </Anchor>
      </Group>
    </PublicFrame>
  );
}

function Invited({ invitation: { tenant, role, expires_at } }: { invitation: Schema<"OpenInvitation"> }) {
  const by = (
    <Text component="span" inherit c="var(--mantine-color-text)" fw={500}>
      {tenant}
    </Text>
  );
  return (
    <>
      {role === "operator" && <Trans>You're invited to run this platform as an operator.</Trans>}
      {role === "owner" && <Trans>{by} invites you to its model gateway as an owner.</Trans>}
      {role === "admin" && <Trans>{by} invites you to its model gateway as an admin.</Trans>}
      {role === "member" && <Trans>{by} invites you to its model gateway as a member.</Trans>}{" "}
      <Trans>
        The invitation expires <Moment at={expires_at} />.
      </Trans>
    </>
  );
}
