import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Shows a part of a page under its own heading. */
export function Section({
  title,
  description,
  actions,
  children,
}: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between" align="flex-end" gap="xs">
        <div>
          <Title order={2}>{title}</Title>
          {description && (
            <Text size="sm" c="dimmed" maw={680}>
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
