import { Group, Text } from "@mantine/core";

import { LogoMark } from "./LogoMark";

/** Shows the product's logo and name. */
export function Logo() {
  return (
    <Group gap={9} wrap="nowrap">
      <LogoMark />
      <Text component="span" fw={650} fz="1rem" style={{ letterSpacing: "-0.02em" }}>
        Tollgate
      </Text>
    </Group>
  );
}
