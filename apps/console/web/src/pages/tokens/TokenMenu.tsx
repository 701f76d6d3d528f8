import { ActionIcon, Menu } from "@mantine/core";
import { IconBan, IconDots, IconListDetails, IconPencil, IconPlayerPause, IconPlayerPlay, IconRefresh } from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { MenuItemLink } from "@/components/menuLink";

import type { TokenActions } from "./useTokenActions";

interface TokenMenuProps {
  token: Schema<"Token">;
  actions: TokenActions;
  edit: () => void;
}

/** Shows the menu with the actions for a token. */
export function TokenMenu({ token, actions, edit }: TokenMenuProps) {
  const revoked = token.status === "revoked";
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${token.name}`}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItemLink to="/usage-logs" search={{ token: token.id }} leftSection={<IconListDetails size={15} />}>
          Usage logs
        </MenuItemLink>
        {!revoked && (
          <>
            <Menu.Item leftSection={<IconPencil size={15} />} onClick={edit}>Edit</Menu.Item>
            {token.status === "enabled" ? (
              <Menu.Item leftSection={<IconPlayerPause size={15} />} onClick={() => actions.disable(token)}>Disable</Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconPlayerPlay size={15} />} onClick={() => actions.enable(token)}>Enable</Menu.Item>
            )}
            <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => actions.rotate(token)}>Rotate</Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconBan size={15} />} onClick={() => actions.revoke(token)}>Revoke</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
