import "@/mantine-later.css";

import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Box, Menu, useMantineColorScheme } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconBook2, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { messageOf } from "@/api/problem";
import { changeLanguage, type Identity, leave, signOut } from "@/api/session";
import { SegmentedControl } from "@/components/SegmentedControl";
import { anyLostAtEnd, anyLostByReload, discardUnsaved, type Loss, lossOf } from "@/components/unsaved";
import { type Language, languages } from "@/locale/languages";
import { language } from "@/locale/messages";

import { AccountButton } from "./AccountButton";
import { docsUrl } from "./docs";
import LeaveQuestion from "./LeaveQuestion";

/** Signs out and leaves. If that fails, the session may still be valid, and the page stays. */
async function end() {
  try {
    await signOut();
  } catch (error) {
    notifications.show({ color: "red", title: t`Couldn't sign out`, message: messageOf(error) });
    return;
  }
  discardUnsaved(); // the user was asked before
  leave();
}

/**
 * The account menu, which opens as soon as it is mounted. Its button replaces the one that was clicked, takes over
 * the focus, and gets the focus back when the menu closes.
 */
export default function AccountMenuOpen({ identity }: { identity: Identity }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  const [asking, setAsking] = useState(false);
  const [asked, setAsked] = useState<{ loss: Loss; act: () => Promise<void> }>();
  /** Does what mounts all pages again or leaves them, and asks before if something is lost. */
  const askBefore = (act: () => Promise<void>, lost: boolean) => {
    if (!lost) return void act();
    setOpened(false);
    setAsked({ loss: lossOf(), act });
    setAsking(true);
  };
  const proceed = () => {
    setAsking(false);
    void asked?.act();
  };
  useEffect(() => {
    // The button that was clicked has been replaced by this one, so its focus is lost.
    button.current?.focus();
    setOpened(true);
  }, []);
  return (
    <>
      {asked && <LeaveQuestion opened={asking} loss={asked.loss} stay={() => setAsking(false)} leave={proceed} />}
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
              onChange={(tag) => askBefore(() => changeLanguage(tag), anyLostByReload())}
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
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => askBefore(end, anyLostAtEnd())}>
            <Trans>Sign out</Trans>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
