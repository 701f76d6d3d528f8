import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import classes from "./Page.module.css";

interface PageProps {
  title: string;
  /** One sentence under the title. */
  description?: ReactNode;
  /** Buttons at the right of the title. */
  actions?: ReactNode;
  /** The list that this page shows one thing of. */
  parent?: { to: string; label: string };
  /** Beside the title: a badge. */
  aside?: ReactNode;
  children: ReactNode;
  /** Use the whole width: tables with many columns. */
  wide?: boolean;
}

/** The frame of every page: its title, which is the document's too, and what can be done on it. */
export function Page({ title, description, actions, parent, aside, children, wide }: PageProps) {
  useDocumentTitle(`${title} · Tollgate`);
  return (
    <div className={classes["page"]} data-wide={wide || undefined}>
      <header className={classes["header"]}>
        <Stack gap={4} miw={0}>
          {parent && (
            <Anchor component={Link} to={parent.to} size="sm" c="dimmed">
              ← {parent.label}
            </Anchor>
          )}
          <Group gap="sm">
            <Title order={1} className={classes["title"]}>
              {title}
            </Title>
            {aside}
          </Group>
          {description && (
            <Text c="dimmed" maw={680}>
              {description}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </header>
      {children}
    </div>
  );
}
