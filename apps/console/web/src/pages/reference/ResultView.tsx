import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Badge, Group, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";

import { CodeBlock } from "@/components/CodeBlock";
import { showCount, showMillis } from "@/format/number";

import classes from "./Reference.module.css";
import type { Result } from "./run";

/** Shows the answer of the relay, also while it is still arriving. */
export function ResultView({ result: { status, statusText, headers, text, cut, took, done } }: { result: Result }) {
  const [open, setOpen] = useState(false);
  const count = showCount(headers.length);
  return (
    <Stack gap="xs">
      <Group gap="sm" role="status">
        <Title order={3}>
          <Trans>Response</Trans>
        </Title>
        <Badge color={status < 300 ? "green" : "red"}>
          {status} {statusText}
        </Badge>
        <Text size="sm" c="dimmed" className="tabular">
          {done ? showMillis(took) : t`receiving`}
        </Text>
      </Group>
      {text !== "" && (
        <div className={classes["scroll"]}>
          <CodeBlock code={text} label={t`Response`} wrap />
        </div>
      )}
      {cut && (
        <Text size="sm" c="dimmed">
          <Trans>The response is long: only its beginning is shown.</Trans>
        </Text>
      )}
      <UnstyledButton className={classes["more"]} aria-expanded={open} onClick={() => setOpen(!open)}>
        <IconChevronRight size={14} aria-hidden className={classes["chevron"]} />
        <Trans>Headers ({count})</Trans>
      </UnstyledButton>
      {open && (
        <CodeBlock
          code={headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
          label={t`Response headers`}
          wrap
        />
      )}
    </Stack>
  );
}
