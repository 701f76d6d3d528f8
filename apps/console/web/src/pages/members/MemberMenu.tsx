import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Menu, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconHistory, IconKey, IconPencil, IconShieldOff, IconUserCheck, IconUserOff } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { messageOf } from "@/api/problem";
import { queryClient } from "@/api/query";
import { type Identity, mayChange } from "@/api/session";
import type { CreatedLink } from "@/components/members/CreatedLink";
import { resetFactors, resetPassword } from "@/components/members/resets";
import { confirm } from "@/components/confirm";
import { MenuItemLink } from "@/components/menuLink";
import { RowMenu } from "@/components/RowMenu";

type User = Schema<"User">;

async function setStatus(member: User, status: User["status"]) {
  await ask(api.PATCH("/api/members/{id}", { params: { path: { id: member.id } }, body: { status } }));
  await queryClient.invalidateQueries({ queryKey: ["members"] });
  const { email } = member;
  notifications.show({
    message: status === "enabled" ? t`${email} is now enabled.` : t`${email} is now disabled.`,
    color: "green",
  });
}

function enable(member: User) {
  setStatus(member, "enabled").catch((error: unknown) =>
    notifications.show({ message: messageOf(error), color: "red" }),
  );
}

function disable(member: User) {
  const { email } = member;
  confirm({
    title: t`Disable this member?`,
    children: (
      <Text>
        <Trans>
          <b>{email}</b> is signed out at once, and all of this member's tokens stop working. They work again when you
          enable the member.
        </Trans>
      </Text>
    ),
    confirm: t`Disable`,
    act: () => setStatus(member, "disabled"),
  });
}

const passwordLink = (id: string) => ask(api.POST("/api/members/{id}/password-reset", { params: { path: { id } } }));
const forgetFactors = (id: string) => ask(api.POST("/api/members/{id}/reset-factors", { params: { path: { id } } }));

interface MemberMenuProps {
  member: User;
  /** The signed-in user. */
  identity: Identity;
  edit: () => void;
  /** Called with the link that an action created. */
  linked: (made: CreatedLink) => void;
}

/** Shows the actions for a member. */
export function MemberMenu({ member, identity, edit, linked }: MemberMenuProps) {
  const { email } = member;
  const changes = mayChange(identity, member);
  return (
    <RowMenu label={t`Actions for ${email}`} width={230}>
      {changes && (
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={edit}>
          <Trans>Edit role and quota</Trans>
        </Menu.Item>
      )}
      <MenuItemLink leftSection={<IconHistory size={16} />} to="/audit-log" search={{ target: member.id }}>
        <Trans>Audit log</Trans>
      </MenuItemLink>
      {changes && member.id !== identity.user.id && (
        <>
          {member.status === "enabled" && (
            <Menu.Item
              leftSection={<IconKey size={16} />}
              onClick={() => resetPassword(email, () => passwordLink(member.id), linked)}
            >
              <Trans>Reset password</Trans>
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconShieldOff size={16} />}
            onClick={() => resetFactors(email, () => forgetFactors(member.id))}
          >
            <Trans>Reset second factor</Trans>
          </Menu.Item>
          <Menu.Divider />
          <StatusItem member={member} />
        </>
      )}
    </RowMenu>
  );
}

function StatusItem({ member }: { member: User }) {
  if (member.status === "enabled") {
    return (
      <Menu.Item color="red" leftSection={<IconUserOff size={16} />} onClick={() => disable(member)}>
        <Trans>Disable</Trans>
      </Menu.Item>
    );
  }
  return (
    <Menu.Item leftSection={<IconUserCheck size={16} />} onClick={() => enable(member)}>
      <Trans>Enable</Trans>
    </Menu.Item>
  );
}
