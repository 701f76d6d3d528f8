import { AppShell, Burger, Group, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ModalsProvider } from "@mantine/modals";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect, useRef } from "react";

import { hasStatus } from "@/api/problem";
import { sessionQuery } from "@/api/query";
import { isOperator, leave, useIdentity } from "@/api/session";
import { LoadingState } from "@/components/states";

import { AccountMenu } from "./AccountMenu";
import { Confirmations } from "./Confirmations";
import { Logo } from "./Logo";
import { Notices } from "./Notices";
import { sectionsOf, type Section } from "./navigation";
import classes from "./Shell.module.css";

/** The frame of all pages that need a session. */
export function Shell() {
  const identity = useIdentity();
  const [opened, { toggle, close }] = useDisclosure();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const main = useRef<HTMLElement>(null);
  // On phones the navigation covers the page, so it closes when a page opens.
  useEffect(close, [path, close]);
  useEndOfSession();
  return (
    <ModalsProvider>
      <Confirmations />
      <Notices />
      <a className="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>
        Skip to the content
      </a>
      <AppShell layout="alt" header={{ height: { base: 56, sm: 0 } }} navbar={{ width: 244, breakpoint: "sm", collapsed: { mobile: !opened } }}>
        <AppShell.Header hiddenFrom="sm" className={classes["header"]}>
          <Group h="100%" px="md" gap="sm">
            <Burger opened={opened} onClick={toggle} size="sm" aria-label={opened ? "Close the navigation" : "Open the navigation"} />
            <Logo />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar className={classes["navbar"]} aria-label="Main">
          <Group className={classes["brand"]} justify="space-between">
            <UnstyledButton component={Link} to="/" aria-label="Tollgate, overview">
              <Logo />
            </UnstyledButton>
            <Burger hiddenFrom="sm" opened={opened} onClick={toggle} size="sm" aria-label="Close the navigation" />
          </Group>
          <Text className={classes["tenant"]} truncate title={identity.tenant?.slug}>
            {isOperator(identity) ? "Platform" : identity.tenant?.name}
          </Text>
          <div className={classes["sections"]}>
            {sectionsOf(identity.user.role).map((section, i) => (
              <NavigationSection key={section.label ?? i} section={section} path={path} />
            ))}
          </div>
          <AccountMenu identity={identity} />
        </AppShell.Navbar>
        <AppShell.Main id="main" ref={main} tabIndex={-1} className={classes["main"]}>
          <Suspense fallback={<LoadingState />}>
            <Outlet />
          </Suspense>
        </AppShell.Main>
      </AppShell>
    </ModalsProvider>
  );
}

/** Goes to the sign-in page when the session has ended. A refused call rereads the session (see api/query.ts). */
function useEndOfSession() {
  const over = hasStatus(useQuery(sessionQuery).error, 401);
  useEffect(() => {
    if (over) leave(`${window.location.pathname}${window.location.search}`);
  }, [over]);
}

function NavigationSection({ section, path }: { section: Section; path: string }) {
  return (
    <div className={classes["section"]}>
      {section.label && <div className={classes["sectionLabel"]}>{section.label}</div>}
      {section.links.map(({ to, label, icon: Icon }) => {
        const active = to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
        return (
          <Link key={to} to={to} preload="intent" className={classes["link"]} data-active={active || undefined} aria-current={active ? "page" : undefined}>
            <Icon size={17} stroke={1.7} aria-hidden />
            <span>{label}</span>
          </Link>
        );
      })}
    </div>
  );
}
