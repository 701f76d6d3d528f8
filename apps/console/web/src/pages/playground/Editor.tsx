import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useState } from "react";

import { useUnsaved } from "@/components/unsaved";

import type { Turn } from "./conversation";
import classes from "./Playground.module.css";

/** The actions on one turn of the conversation. */
export interface TurnActions {
  edit: (turn: Turn, text: string) => void;
  /** Changes the text, and generates a new answer to it. */
  editAndAsk: (turn: Turn, text: string) => void;
  /** Generates a new answer in place of this one, to this message of the user, or to this result of a function. */
  again: (turn: Turn) => void;
  remove: (turn: Turn) => void;
}

interface EditorProps {
  turn: Turn;
  actions: TurnActions;
  /** False if no answer can be generated. */
  ready: boolean;
  close: () => void;
}

/** Edits the text of a turn in its place. */
export function Editor({ turn, actions, ready, close }: EditorProps) {
  const [text, setText] = useState(turn.text);
  useUnsaved({ isDirty: () => text !== turn.text });
  const end = (act: (turn: Turn, text: string) => void) => () => {
    act(turn, text);
    close();
  };
  return (
    <Stack gap="xs">
      <Textarea
        aria-label={t`Message text`}
        autosize
        minRows={2}
        maxRows={16}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autoFocus
        {...(turn.role === "tool" && { classNames: { input: classes["json"] ?? "" } })}
      />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" size="xs" onClick={close}>
          <Trans>Cancel</Trans>
        </Button>
        <Button variant={turn.role === "assistant" ? "filled" : "default"} size="xs" onClick={end(actions.edit)}>
          <Trans>Save</Trans>
        </Button>
        {turn.role !== "assistant" && (
          <Button size="xs" disabled={!ready} onClick={end(actions.editAndAsk)}>
            <Trans>Save and ask again</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  );
}
