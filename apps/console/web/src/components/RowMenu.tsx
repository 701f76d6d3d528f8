import { ActionIcon, Menu, type MenuProps } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { flushSync } from "react-dom";

interface RowMenuProps extends Pick<MenuProps, "width"> {
  /** The name of the button, such as "Actions for ci". */
  label: string;
  /** The entries. */
  children: ReactNode;
}

/**
 * Shows the button and the menu of a row. Before the first click there is only the button: a list has hundreds of them,
 * and their menus would take most of the time in which a page of the list is drawn.
 */
export function RowMenu({ label, width, children }: RowMenuProps) {
  const [used, setUsed] = useState(false);
  const [opened, setOpened] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const icon = <IconDots size={17} />;
  if (!used) {
    const open = () => {
      flushSync(() => setUsed(true));
      button.current?.focus(); // it is another element now, to which the focus returns from the menu
      setOpened(true);
    };
    return (
      <ActionIcon aria-label={label} aria-haspopup="menu" aria-expanded={false} onClick={open}>
        {icon}
      </ActionIcon>
    );
  }
  return (
    <Menu position="bottom-end" width={width} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <ActionIcon ref={button} aria-label={label}>
          {icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
