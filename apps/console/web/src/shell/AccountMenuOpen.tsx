import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Box, Menu, useMantineColorScheme } from "@mantine/core";
import { IconBook2, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { changeLanguage, type Identity, signOut } from "@/api/session";
import { SegmentedControl } from "@/components/SegmentedControl";
import { type Language, languages } from "@/locale/languages";
import { language } from "@/locale/messages";

import { AccountButton } from "./AccountButton";
import { docsUrl } from "./docs";

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
        <Menu.Label>
          <Trans>Appearance</Trans>
        </Menu.Label>
        <Box mx={8} mb={6}>
          <SegmentedControl
            fullWidth
            aria-label={t`Appearance`}
            value={colorScheme}
            onChange={setColorScheme}
            data={[
              { value: "auto", label: t({ message: "Auto", comment: "The appearance follows the device" }) },
              { value: "light", label: t({ message: "Light", comment: "Appearance" }) },
              { value: "dark", label: t({ message: "Dark", comment: "Appearance" }) },
            ]}
          />
        </Box>
        <Menu.Label>
          <Trans>Language</Trans>
        </Menu.Label>
        <Box mx={8} mb={6}>
          <SegmentedControl
            fullWidth
            aria-label={t`Language`}
            value={language()}
            onChange={(tag) => void changeLanguage(tag)}
            data={(Object.keys(languages) as Language[]).map((tag) => ({ value: tag, label: languages[tag] }))}
          />
        </Box>
        <Menu.Divider />
        <Menu.Item component={Link} to="/settings" leftSection={<IconUserCircle size={16} />}>
          <Trans>Account settings</Trans>
        </Menu.Item>
        <Menu.Item
          component="a"
          href={docsUrl()}
          target="_blank"
          rel="noreferrer"
          leftSection={<IconBook2 size={16} />}
        >
          <Trans>Documentation</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          <Trans>Sign out</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
