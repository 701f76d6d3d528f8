import { Menu, SegmentedControl, useMantineColorScheme, type MantineColorScheme } from "@mantine/core";
import { IconLogout, IconUserCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { type Identity, signOut } from "@/api/session";

import { AccountButton } from "./AccountButton";

/**
 * The account menu, which opens as soon as it is mounted. Its button replaces the one that was clicked, takes over
 * the focus, and gets the focus back when the menu closes.
 */
export default function AccountMenuOpen({ identity }: { identity: Identity }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    // The button that was clicked has been replaced by this one, so its focus is lost.
    button.current?.focus();
    setOpened(true);
  }, []);
  return (
    <Menu opened={opened} onChange={setOpened} position="top-start" width={228} offset={6}>
      <Menu.Target>
        <AccountButton identity={identity} ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Appearance</Menu.Label>
        <SegmentedControl
          fullWidth
          mx={8}
          mb={6}
          aria-label="Appearance"
          value={colorScheme}
          onChange={(value) => setColorScheme(value as MantineColorScheme)}
          data={[
            { value: "auto", label: "Auto" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
        />
        <Menu.Divider />
        <Menu.Item component={Link} to="/settings" leftSection={<IconUserCircle size={16} />}>
          Account settings
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
