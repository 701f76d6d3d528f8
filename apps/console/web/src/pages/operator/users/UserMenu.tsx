import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import { IconDeviceDesktop, IconHistory, IconKey, IconPencil, IconShieldOff } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { useIdentity } from "@/api/session";
import type { CreatedLink } from "@/components/members/CreatedLink";
import { resetFactors, resetPassword } from "@/components/members/resets";
import { MenuItemLink } from "@/components/menuLink";
import { RowMenu } from "@/components/RowMenu";

type User = Schema<"User">;

/** The actions that the user list performs for the menu of a user. */
export interface UserActions {
  edit: (user: User) => void;
  sessions: (user: User) => void;
  linked: (made: CreatedLink) => void;
}

const passwordLink = (id: string) =>
  ask(api.POST("/api/operator/users/{id}/password-reset", { params: { path: { id } } }));
const forgetFactors = (id: string) =>
  ask(api.POST("/api/operator/users/{id}/reset-factors", { params: { path: { id } } }));

/** Shows the actions of an operator for a user. */
export function UserMenu({ user, edit, sessions, linked }: UserActions & { user: User }) {
  const { email } = user;
  const own = useIdentity().user.id === user.id;
  return (
    <RowMenu label={t`Actions for ${email}`} width={230}>
      <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => edit(user)}>
        <Trans>Edit</Trans>
      </Menu.Item>
      <Menu.Item leftSection={<IconDeviceDesktop size={16} />} onClick={() => sessions(user)}>
        <Trans>Sessions</Trans>
      </Menu.Item>
      <MenuItemLink leftSection={<IconHistory size={16} />} to="/operator/audit-log" search={{ target: user.id }}>
        <Trans>Audit log</Trans>
      </MenuItemLink>
      {!own && (
        <>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconKey size={16} />}
            onClick={() => resetPassword(email, () => passwordLink(user.id), linked)}
          >
            <Trans>Reset password</Trans>
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconShieldOff size={16} />}
            onClick={() => resetFactors(email, () => forgetFactors(user.id))}
          >
            <Trans>Reset second factor</Trans>
          </Menu.Item>
        </>
      )}
    </RowMenu>
  );
}
