import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";

import { confirm } from "@/components/confirm";

import type { CreatedLink } from "./CreatedLink";

/** Asks for confirmation, then calls `make` to create a link with which the account's owner sets a new password. */
export function resetPassword(email: string, make: () => Promise<CreatedLink["link"]>, linked: (made: CreatedLink) => void) {
  confirm({
    title: "Make a link for a new password?",
    children: (
      <Text>
        By the link <b>{email}</b> sets a new password, which ends all sessions of the account. The old password works until then.
      </Text>
    ),
    confirm: "Make the link",
    harmless: true,
    act: async () => linked({ title: "New password", email, link: await make(), purpose: "Whoever opens it sets the password of the account. It is good once." }),
  });
}

/** Asks for confirmation, then calls `reset` to remove the account's second factor and passkeys. */
export function resetFactors(email: string, reset: () => Promise<unknown>) {
  confirm({
    title: "Reset the second factor?",
    children: (
      <Text>
        The authenticator app, the recovery codes and the passkeys of <b>{email}</b> are removed, and all sessions end. Do this only for somebody whom you know to have lost them.
      </Text>
    ),
    confirm: "Reset",
    act: async () => {
      await reset();
      notifications.show({ message: `${email} signs in with the password alone now.`, color: "green" });
    },
  });
}
