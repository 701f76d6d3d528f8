import { Card, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface SettingsCardProps {
  title: string;
  description?: ReactNode;
  /** A badge that is shown next to the title. */
  aside?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}

/** Shows one section of the settings. */
export function SettingsCard({ title, description, aside, actions, children }: SettingsCardProps) {
  const id = useId();
  return (
    <Card component="section" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Stack gap={2} flex="1 1 280px">
          <Group gap="xs">
            <Title order={2} id={id}>
              {title}
            </Title>
            {aside}
          </Group>
          {description && (
            <Text c="dimmed" maw={620}>
              {description}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children && (
        <Stack gap="md" mt="md">
          {children}
        </Stack>
      )}
    </Card>
  );
}
