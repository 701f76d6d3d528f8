import { i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Stack, Tabs } from "@mantine/core";
import { IconDevices, IconKey, IconLock, IconUserCircle } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { Page } from "@/components/Page";

const tabs = [
  { to: "/settings", label: msg`Profile`, icon: IconUserCircle },
  { to: "/settings/security", label: msg`Password & sign-in`, icon: IconLock },
  { to: "/settings/sessions", label: msg`Sessions`, icon: IconDevices },
  { to: "/settings/access-keys", label: msg`Access keys`, icon: IconKey },
] as const;

type Tab = (typeof tabs)[number]["to"];

/** Scrolls the open tab into view, because all tabs together are wider than a phone's screen. */
const scrollIntoSight = (node: HTMLElement | null) => node?.scrollIntoView({ block: "nearest", inline: "center" });

/** The frame of the account pages, for users of tenants and for operators. */
export function Settings({ tab, children }: { tab: Tab; children: ReactNode }) {
  const navigate = useNavigate();
  const go = (value: string | null) => {
    const chosen = tabs.find(({ to }) => to === value);
    if (chosen) void navigate({ to: chosen.to });
  };
  return (
    <Page title={t`Settings`}>
      <Tabs value={tab} onChange={go} keepMounted={false}>
        <Tabs.List mb="lg" style={{ overflowX: "auto", flexWrap: "nowrap" }}>
          {tabs.map(({ to, label, icon: Icon }) => (
            <Tabs.Tab
              key={to}
              value={to}
              ref={to === tab ? scrollIntoSight : null}
              leftSection={<Icon size={16} aria-hidden />}
              style={{ flex: "none" }}
            >
              {i18n._(label)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Stack gap="md">{children}</Stack>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
