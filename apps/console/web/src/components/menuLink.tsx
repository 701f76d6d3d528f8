import { Menu, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";

import type { Own } from "./links";

function PlainMenuItem(props: Own<MenuItemProps>) {
  return <Menu.Item component="a" {...props} />;
}

/** A link to a page of the console as an entry of a menu. */
export const MenuItemLink = createLink(PlainMenuItem);
