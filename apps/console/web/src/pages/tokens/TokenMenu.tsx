import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Menu } from "@mantine/core";
import {
  IconBan,
  IconListDetails,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
} from "@tabler/icons-react";

import type { Schema } from "@/api/client";
import { MenuItemLink } from "@/components/menuLink";
import { RowMenu } from "@/components/RowMenu";

import type { TokenActions } from "./useTokenActions";

interface TokenMenuProps {
  token: Schema<"Token">;
  actions: TokenActions;
  edit: () => void;
}

/** Shows the menu with the actions for a token. */
export function TokenMenu({ token, actions, edit }: TokenMenuProps) {
  const { name } = token;
  const revoked = token.status === "revoked";
  return (
    <RowMenu label={t`Actions for ${name}`}>
      <MenuItemLink to="/usage-logs" search={{ token: token.id }} leftSection={<IconListDetails size={15} />}>
        <Trans>Usage logs</Trans>
      </MenuItemLink>
      {!revoked && (
        <>
          <Menu.Item leftSection={<IconPencil size={15} />} onClick={edit}>
            <Trans>Edit</Trans>
          </Menu.Item>
          {token.status === "enabled" ? (
            <Menu.Item leftSection={<IconPlayerPause size={15} />} onClick={() => actions.disable(token)}>
              <Trans>Disable</Trans>
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconPlayerPlay size={15} />} onClick={() => actions.enable(token)}>
              <Trans>Enable</Trans>
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => actions.rotate(token)}>
            <Trans>Rotate</Trans>
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconBan size={15} />} onClick={() => actions.revoke(token)}>
            <Trans>Revoke</Trans>
          </Menu.Item>
        </>
      )}
    </RowMenu>
  );
}
