import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";

import { confirm } from "@/components/confirm";

import type { CreatedLink } from "./CreatedLink";

/** Asks for confirmation, then calls `make` to create a link with which the account's owner sets a new password. */
export function resetPassword(
  email: string,
  make: () => Promise<CreatedLink["link"]>,
  linked: (made: CreatedLink) => void,
) {
  confirm({
    title: t`Create a password reset link?`,
    children: (
      <Text>
        <Trans>
          With this link, <b>{email}</b> sets a new password, which ends all sessions of the account. The old password
          works until then.
        </Trans>
      </Text>
    ),
    confirm: t`Create link`,
    harmless: true,
    act: async () =>
      linked({
        title: t`Password reset link`,
        email,
        link: await make(),
        purpose: t`Anyone who opens this link can set the password of the account. It works once.`,
      }),
  });
}

/** Asks for confirmation, then calls `reset` to remove the account's second factor and passkeys. */
export function resetFactors(email: string, reset: () => Promise<unknown>) {
  confirm({
    title: t`Reset the second factor?`,
    children: (
      <Text>
        <Trans>
          This removes the authenticator app, the recovery codes and the passkeys of <b>{email}</b>, and ends all
          sessions of the account. Do this only if you are sure that they are lost.
        </Trans>
      </Text>
    ),
    confirm: t`Reset`,
    act: async () => {
      await reset();
      notifications.show({ message: t`${email} now signs in with the password alone.`, color: "green" });
    },
  });
}
