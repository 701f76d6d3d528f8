import { Card, Group, Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Shows one figure with its name. A placeholder is shown while `value` is undefined. */
export function Stat({
  label,
  value,
  hint,
  children,
}: {
  label: string;
  value: ReactNode | undefined;
  hint?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Card padding="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton h={26} w="55%" mt={6} mb={4} />
      ) : (
        <Group gap="xs" align="baseline">
          <Text fz="1.5rem" fw={600} lh={1.4} className="tabular" style={{ letterSpacing: "-0.02em" }}>
            {value}
          </Text>
        </Group>
      )}
      {hint && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      {children}
    </Card>
  );
}
