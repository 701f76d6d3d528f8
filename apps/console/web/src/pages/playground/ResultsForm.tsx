import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useState } from "react";

import { useUnsaved } from "@/components/unsaved";

import type { ToolCall } from "./answer";
import classes from "./Playground.module.css";

interface ResultsProps {
  calls: ToolCall[];
  /** Returns the text with which the field for the result of a function begins. */
  before: (name: string) => string;
  send: (results: { call: ToolCall; text: string }[]) => void;
}

/** A form in which the user enters the results of the functions that the model called. */
export function ResultsForm({ calls, before, send }: ResultsProps) {
  const [initial] = useState<Record<string, string>>(() =>
    Object.fromEntries(calls.map(({ id, name }) => [id, before(name)])),
  );
  const [texts, setTexts] = useState(initial);
  useUnsaved({ isDirty: () => calls.some(({ id }) => texts[id] !== initial[id]) });
  return (
    <form
      className={classes["call"]}
      onSubmit={(event) => {
        event.preventDefault();
        send(calls.map((call) => ({ call, text: texts[call.id] ?? "" })));
      }}
    >
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          <Trans>Enter the results of the functions that the model called.</Trans>
        </Text>
        {calls.map(({ id, name }) => (
          <Textarea
            key={id}
            label={t`Result of ${name}`}
            autosize
            minRows={2}
            maxRows={12}
            spellCheck={false}
            classNames={{ input: classes["json"] ?? "" }}
            placeholder='{"temperature": 21}'
            value={texts[id] ?? ""}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setTexts((entered) => ({ ...entered, [id]: value }));
            }}
          />
        ))}
        <Group justify="flex-end">
          <Button type="submit" size="xs">
            <Trans>Send results</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
