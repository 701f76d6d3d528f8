import { ActionIcon, Button, Group, Stack, Text, Textarea, Tooltip } from "@mantine/core";
import { IconArrowUp, IconPlayerStopFilled } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";

import type { ToolCall } from "./answer";
import classes from "./Playground.module.css";

interface ComposerProps {
  running: boolean;
  /** The reason why nothing can be sent; undefined if sending is possible. */
  fault: string | undefined;
  send: (text: string) => void;
  stop: () => void;
}

/** The field for the user's next turn. Enter sends, Shift+Enter inserts a new line. */
export function Composer({ running, fault, send, stop }: ComposerProps) {
  const [text, setText] = useState("");
  const ready = !running && fault === undefined && text.trim() !== "";
  const submit = () => {
    if (!ready) return;
    send(text);
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <div className={classes["column"]}>
      <div className={classes["box"]}>
        <Textarea
          variant="unstyled"
          flex={1}
          autosize
          minRows={1}
          maxRows={10}
          aria-label="Your message"
          placeholder="Write a message"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          autoFocus
        />
        {running ? (
          <Tooltip label="Stop">
            <ActionIcon size={34} radius="xl" variant="filled" color="gray" aria-label="Stop" onClick={stop}>
              <IconPlayerStopFilled size={15} />
            </ActionIcon>
          </Tooltip>
        ) : (
          <Tooltip label={fault ?? "Send"}>
            <ActionIcon size={34} radius="xl" variant="filled" color="iris" aria-label="Send" onClick={submit} data-disabled={!ready || undefined} aria-disabled={!ready}>
              <IconArrowUp size={18} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {fault && (
        <Text size="sm" c="var(--tollgate-warn)" mt={6} role="status">
          {fault}
        </Text>
      )}
    </div>
  );
}

/** A form in which the user enters the results of the functions that the model called. */
export function ResultsForm({ calls, running, send }: { calls: ToolCall[]; running: boolean; send: (results: { call: ToolCall; text: string }[]) => void }) {
  const [texts, setTexts] = useState<Record<string, string>>({});
  return (
    <form
      className={classes["column"]}
      onSubmit={(event) => {
        event.preventDefault();
        send(calls.map((call) => ({ call, text: texts[call.id] ?? "" })));
      }}
    >
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          The model waits for what its functions give back.
        </Text>
        {calls.map((call) => (
          <Textarea
            key={call.id}
            label={`Result of ${call.name}`}
            description={<span className="mono">{call.arguments}</span>}
            autosize
            minRows={2}
            maxRows={8}
            placeholder='{"temperature": 21}'
            value={texts[call.id] ?? ""}
            onChange={(event) => {
              const { value } = event.currentTarget;
              setTexts((before) => ({ ...before, [call.id]: value }));
            }}
          />
        ))}
        <Group justify="flex-end">
          <Button type="submit" loading={running}>
            Send results
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
