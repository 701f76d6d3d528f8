import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import classes from "./Page.module.css";

interface PageProps {
  title: string;
  /** A sentence that is shown under the title. */
  description?: ReactNode;
  /** The buttons at the right of the title. */
  actions?: ReactNode;
  /** The list that contains the object of this page. The page links back to it. */
  parent?: { to: string; label: string };
  /** A badge that is shown next to the title. */
  aside?: ReactNode;
  children: ReactNode;
  /** Uses the full width of the window, for tables with many columns. */
  wide?: boolean;
}

/** The frame of every page. It shows the title, which is also the document's title, and the actions of the page. */
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
