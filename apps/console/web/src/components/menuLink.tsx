import { Menu, type MenuItemProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";

import type { Own } from "./links";

function PlainMenuItem(props: Own<MenuItemProps>) {
  return <Menu.Item component="a" {...props} />;
}

/** A menu entry that links to a page of the console. */
export const MenuItemLink = createLink(PlainMenuItem);
