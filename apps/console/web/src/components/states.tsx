import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Center, Loader, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconAlertTriangle, IconInbox, type TablerIcon } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { messageOf } from "@/api/problem";

/** Shows that a list is empty. */
export function EmptyState({
  icon: Icon = IconInbox,
  title,
  children,
  action,
}: {
  icon?: TablerIcon;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <ThemeIcon variant="light" color="gray" size={44} radius="xl">
        <Icon size={22} stroke={1.6} aria-hidden />
      </ThemeIcon>
      <Text fw={600} mt={4}>
        {title}
      </Text>
      {children && (
        <Text c="dimmed" maw={420}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

/** Shows why something could not be loaded, with a button to retry. */
export function ErrorState({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center" role="alert">
      <ThemeIcon variant="light" color="red" size={44} radius="xl">
        <IconAlertTriangle size={22} stroke={1.6} aria-hidden />
      </ThemeIcon>
      <Text fw={600} mt={4}>
        {title ?? <Trans>Couldn't load this</Trans>}
      </Text>
      <Text c="dimmed" maw={480}>
        {messageOf(error)}
      </Text>
      {retry && (
        <Button variant="default" size="xs" onClick={retry}>
          <Trans>Try again</Trans>
        </Button>
      )}
    </Stack>
  );
}

/** Shows that a page or a part of a page is loading. */
export function LoadingState({ label }: { label?: string }) {
  return (
    <Center py={64} role="status" aria-label={label ?? t`Loading`}>
      <Loader size="sm" type="dots" color="gray" />
    </Center>
  );
}
