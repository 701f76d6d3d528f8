import { Button, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";

import type { Pages } from "./usePages";

/** Shows the buttons to the previous and the next page of a list; nothing if the list has one page. */
export function Pager<Row>({ pages }: { pages: Pages<Row> }) {
  const { page, newer, older } = pages;
  if (!newer && !older && page === 1) return null;
  return (
    <Group component="nav" aria-label="Pages" justify="space-between" px="md" py="xs" bd="1px solid transparent" style={{ borderTopColor: "var(--tollgate-border)" }}>
      <Text size="sm" c="dimmed" aria-live="polite">
        Page {page}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" leftSection={<IconChevronLeft size={14} />} disabled={!newer} onClick={newer}>
          Previous
        </Button>
        <Button size="xs" variant="default" rightSection={<IconChevronRight size={14} />} disabled={!older} onClick={older}>
          Next
        </Button>
      </Group>
    </Group>
  );
}
