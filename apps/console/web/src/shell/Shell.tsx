import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Burger, Group, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { Suspense, useEffect, useRef, useState } from "react";

import { isOperator, useIdentity } from "@/api/session";
import { LoadingState } from "@/components/states";

import { AccountMenu } from "./AccountMenu";
import { Commands } from "./Commands";
import { Confirmations } from "./Confirmations";
import { Dialogs } from "./Dialogs";
import { EndOfSession } from "./EndOfSession";
import { Jobs } from "./Jobs";
import { Leaving } from "./Leaving";
import { LoadFailed } from "./LoadFailed";
import { Logo } from "./Logo";
import { Notices } from "./Notices";
import { sectionsOf, type Section } from "./navigation";
import { Offline } from "./Offline";
import classes from "./Shell.module.css";
import { type CommandDialog, modKey } from "./shortcuts";

/** The frame of all pages that need a session. */
export function Shell() {
  const identity = useIdentity();
  const [opened, { open, close }] = useDisclosure();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const main = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const [dialog, show] = useState<CommandDialog>();
  // On phones and tablets the navigation covers the page, so it closes when a page opens.
  useEffect(close, [path, close]);
  return (
    <>
      <Dialogs />
      <Confirmations />
      <EndOfSession />
      <Leaving />
      <Commands role={identity.user.role} dialog={dialog} show={show} />
      <Notices />
      <LoadFailed />
      <Jobs user={identity.user.id} />
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        <Trans>Skip to content</Trans>
      </a>
      <div className={classes["shell"]}>
        <header className={classes["header"]}>
          <Burger ref={opener} onClick={open} size="sm" aria-label={t`Open navigation`} aria-expanded={opened} />
          <Logo />
        </header>
        <nav className={classes["navbar"]} data-opened={opened || undefined} aria-label={t`Main`}>
          <Group className={classes["brand"]} justify="space-between">
            <UnstyledButton component={Link} to="/" aria-label={t`Tollgate, overview`}>
              <Logo />
            </UnstyledButton>
            <Burger
              hiddenFrom="md"
              opened
              onClick={() => {
                close();
                opener.current?.focus();
              }}
              size="sm"
              aria-label={t`Close navigation`}
            />
          </Group>
          <Text className={classes["tenant"]} truncate title={identity.tenant?.slug}>
            {isOperator(identity) ? <Trans>Platform</Trans> : identity.tenant?.name}
          </Text>
          <UnstyledButton
            className={classes["search"]}
            onClick={() => show("palette")}
            aria-keyshortcuts="Control+K Meta+K"
          >
            <IconSearch size={15} stroke={1.7} aria-hidden />
            <span>
              <Trans>Search</Trans>
            </span>
            <span className={classes["keys"]} aria-hidden>
              {modKey()} K
            </span>
          </UnstyledButton>
          <div className={classes["sections"]}>
            {sectionsOf(identity.user.role).map((section, i) => (
              <NavigationSection key={section.label ?? i} section={section} path={path} />
            ))}
          </div>
          <AccountMenu identity={identity} />
        </nav>
        <main id="main" ref={main} tabIndex={-1} className={classes["main"]}>
          <Offline />
          <Suspense fallback={<LoadingState />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
    </>
  );
}

function NavigationSection({ section, path }: { section: Section; path: string }) {
  return (
    <div className={classes["section"]}>
      {section.label && <div className={classes["sectionLabel"]}>{section.label}</div>}
      {section.links.map(({ to, label, icon: Icon, reload }) => {
        const active = to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
        return (
          <Link
            key={to}
            to={to}
            preload={reload ? false : "intent"}
            reloadDocument={reload ?? false}
            className={classes["link"]}
            data-active={active || undefined}
            aria-current={active ? "page" : undefined}
          >
            <Icon size={17} stroke={1.7} aria-hidden />
            <span>{label}</span>
          </Link>
        );
      })}
    </div>
  );
}
