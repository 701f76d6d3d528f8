import { ActionIcon, Menu, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconKey, IconPencil, IconShieldOff, IconUserCheck, IconUserOff } from "@tabler/icons-react";

import { api, ask, type Schema } from "@/api/client";
import { messageOf } from "@/api/problem";
import { queryClient } from "@/api/query";
import type { CreatedLink } from "@/components/members/CreatedLink";
import { resetFactors, resetPassword } from "@/components/members/resets";
import { confirm } from "@/components/confirm";

type User = Schema<"User">;

async function setStatus(member: User, status: User["status"]) {
  await ask(api.PATCH("/api/members/{id}", { params: { path: { id: member.id } }, body: { status } }));
  await queryClient.invalidateQueries({ queryKey: ["members"] });
  notifications.show({ message: `${member.email} is ${status} now.`, color: "green" });
}

function enable(member: User) {
  setStatus(member, "enabled").catch((error: unknown) => notifications.show({ message: messageOf(error), color: "red" }));
}

function disable(member: User) {
  confirm({
    title: "Disable this member?",
    children: (
      <Text>
        <b>{member.email}</b> is signed out at once, and all tokens of this member stop working. Enabling the member again brings them back.
      </Text>
    ),
    confirm: "Disable",
    act: () => setStatus(member, "disabled"),
  });
}

const passwordLink = (id: string) => ask(api.POST("/api/members/{id}/password-reset", { params: { path: { id } } }));
const forgetFactors = (id: string) => ask(api.POST("/api/members/{id}/reset-factors", { params: { path: { id } } }));

interface MemberMenuProps {
  member: User;
  /** The id of the signed-in user. */
  own: string;
  edit: () => void;
  /** Called with the link that an action created. */
  linked: (made: CreatedLink) => void;
}

/** Shows the actions for a member. */
export function MemberMenu({ member, own, edit, linked }: MemberMenuProps) {
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${member.email}`}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={edit}>
          Edit role and quota
        </Menu.Item>
        {member.id !== own && (
          <>
            {member.status === "enabled" && (
              <Menu.Item leftSection={<IconKey size={16} />} onClick={() => resetPassword(member.email, () => passwordLink(member.id), linked)}>
                Link for a new password
              </Menu.Item>
            )}
            <Menu.Item leftSection={<IconShieldOff size={16} />} onClick={() => resetFactors(member.email, () => forgetFactors(member.id))}>
              Reset second factor
            </Menu.Item>
            <Menu.Divider />
            <StatusItem member={member} />
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function StatusItem({ member }: { member: User }) {
  if (member.status === "enabled") {
    return (
      <Menu.Item color="red" leftSection={<IconUserOff size={16} />} onClick={() => disable(member)}>
        Disable
      </Menu.Item>
    );
  }
  return (
    <Menu.Item leftSection={<IconUserCheck size={16} />} onClick={() => enable(member)}>
      Enable
    </Menu.Item>
  );
}
