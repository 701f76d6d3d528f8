import { t } from "@lingui/core/macro";
import { Group, Text } from "@mantine/core";

import { Status } from "@/components/values";

import { type Day, reasonOf } from "./reasons";

/** Shows whether both sides agree, and the likely reason if they do not. */
export function Result({ of }: { of: Pick<Day, "status" | "reason"> }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Status value={of.status}>{of.status === "pending" ? t`Not reported yet` : undefined}</Status>
      {reasonOf(of) && (
        <Text component="span" size="sm" c="dimmed">
          {reasonOf(of)}
        </Text>
      )}
    </Group>
  );
}
