import { Box, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";

import { LanguageLinks } from "@/locale/LanguageLinks";
import { Logo } from "@/shell/Logo";

import classes from "./PublicFrame.module.css";

/** The frame of the pages that need no session. */
export function PublicFrame({
  title,
  description,
  children,
}: {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}) {
  useDocumentTitle(`${title} · Tollgate`);
  return (
    <Box component="main" className={classes["canvas"]}>
      <Stack w="100%" maw={400} gap="xl">
        <Logo />
        <Paper withBorder p={{ base: "lg", sm: 28 }} className={classes["card"]}>
          <Stack gap="lg">
            <Stack gap={4}>
              <Title order={1}>{title}</Title>
              {description && <Text c="dimmed">{description}</Text>}
            </Stack>
            {children}
          </Stack>
        </Paper>
        <LanguageLinks />
      </Stack>
    </Box>
  );
}
