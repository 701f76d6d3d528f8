import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Text } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";

import { showCount } from "@/format/number";

import type { Pages } from "./usePages";

/** Shows the buttons to the previous and the next page of a list; nothing if the list has one page. */
export function Pager<Row>({ pages }: { pages: Pages<Row> }) {
  const { page, newer, older } = pages;
  if (!newer && !older && page === 1) return null;
  const number = showCount(page);
  return (
    <Group
      component="nav"
      aria-label={t`Pages`}
      justify="space-between"
      px="md"
      py="xs"
      bd="1px solid transparent"
      style={{ borderTopColor: "var(--tollgate-border)" }}
    >
      <Text size="sm" c="dimmed" aria-live="polite">
        <Trans>Page {number}</Trans>
      </Text>
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconChevronLeft size={14} />}
          disabled={!newer}
          onClick={newer}
        >
          <Trans>Previous</Trans>
        </Button>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronRight size={14} />}
          disabled={!older}
          onClick={older}
        >
          <Trans>Next</Trans>
        </Button>
      </Group>
    </Group>
  );
}
