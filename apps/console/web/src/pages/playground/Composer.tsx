import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ActionIcon, FileButton, Stack, Text, Textarea, Tooltip } from "@mantine/core";
import { IconArrowUp, IconPaperclip, IconPlayerStopFilled } from "@tabler/icons-react";
import { type ClipboardEvent, type KeyboardEvent, useMemo, useRef, useState } from "react";

import { isComposing } from "@/components/typed";
import { useUnsaved } from "@/components/unsaved";

import { accepted, type Attachment, maxBody, unread } from "./attachments";
import { AttachmentList } from "./AttachmentList";
import classes from "./Playground.module.css";
import { type Bounds, useAttachments, useDrop } from "./useAttachments";

interface ComposerProps {
  running: boolean;
  /** The reason why nothing can be sent; undefined if sending is possible. */
  fault: string | undefined;
  bounds: Bounds;
  send: (text: string, attachments: Attachment[]) => void;
  stop: () => void;
}

/** The field for the user's next message, with its images and files. Enter sends, Shift+Enter inserts a new line. */
export function Composer({ running, fault, bounds, send, stop }: ComposerProps) {
  const [text, setText] = useState("");
  const { attachments, faults, add, remove, clear } = useAttachments(bounds);
  const over = useDrop(add);
  const used = useMemo(() => bounds.used(attachments), [bounds, attachments]);
  const problem =
    fault ??
    unreadable(attachments, bounds) ??
    (used + text.length > (bounds.most ?? maxBody)
      ? t`The conversation is too long for one request. Remove messages with images or files, or start a new conversation.`
      : undefined);
  const filled = text.trim() !== "" || attachments.length > 0;
  useUnsaved({ isDirty: () => filled });
  const ready = !running && problem === undefined && filled;
  const field = useRef<HTMLTextAreaElement>(null);
  const submit = () => {
    if (!ready) return;
    send(text, attachments);
    setText("");
    clear();
    field.current?.focus(); // a key that is still held must not press the button again
  };
  const halt = () => {
    stop();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    submit();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    // Office programs copy a picture of the text with the text.
    if (files.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
    event.preventDefault();
    add(files);
  };
  return (
    <div className={classes["column"]}>
      <div className={classes["box"]} data-over={over || undefined}>
        {over && (
          <Text size="sm" c="dimmed" px={4} pt={4}>
            <Trans>Drop images, audio, PDFs or text files to add them to the message.</Trans>
          </Text>
        )}
        {attachments.length > 0 && (
          <div className={classes["attached"]}>
            <AttachmentList files={attachments} remove={remove} />
          </div>
        )}
        <div className={classes["line"]}>
          <AddFiles add={add} />
          <Textarea
            ref={field}
            variant="unstyled"
            flex={1}
            autosize
            minRows={1}
            maxRows={10}
            aria-label={t`Your message`}
            placeholder={t`Write a message`}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            autoFocus
          />
          <CallButton running={running} ready={ready} label={problem ?? t`Send`} submit={submit} stop={halt} />
        </div>
      </div>
      <Reasons reasons={[...(problem === undefined ? [] : [problem]), ...faults]} />
    </div>
  );
}

/** Returns why a model that was selected later cannot read an attachment. */
const unreadable = (attachments: Attachment[], { models }: Bounds) =>
  attachments.map(({ kind, name }) => unread(kind, name, models)).find((reason) => reason !== undefined);

function AddFiles({ add }: { add: (files: File[]) => void }) {
  const reset = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      accept={accepted}
      resetRef={reset}
      onChange={(files) => {
        add(files);
        reset.current?.();
      }}
    >
      {(props) => (
        <Tooltip label={t`Add images or files`}>
          <ActionIcon {...props} size={34} radius="xl" aria-label={t`Add images or files`}>
            <IconPaperclip size={18} />
          </ActionIcon>
        </Tooltip>
      )}
    </FileButton>
  );
}

interface CallButtonProps {
  running: boolean;
  ready: boolean;
  label: string;
  submit: () => void;
  stop: () => void;
}

/** Sends the message, and stops the answer. It is one button, so that it keeps the focus when an answer ends. */
function CallButton({ running, ready, label, submit, stop }: CallButtonProps) {
  const disabled = !running && !ready;
  return (
    <Tooltip label={running ? t`Stop (Esc)` : label}>
      <ActionIcon
        size={34}
        radius="xl"
        variant="filled"
        color={running ? "gray" : "iris"}
        aria-label={running ? t`Stop` : t`Send`}
        aria-keyshortcuts={running ? "Escape" : undefined} // Not translated: the name of a key.
        onClick={running ? stop : submit}
        data-disabled={disabled || undefined}
        aria-disabled={disabled}
      >
        {running ? <IconPlayerStopFilled size={15} /> : <IconArrowUp size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

function Reasons({ reasons }: { reasons: string[] }) {
  return (
    <Stack gap={2} mt={reasons.length > 0 ? 6 : 0} role="status">
      {reasons.map((reason) => (
        <Text key={reason} size="sm" c="var(--tollgate-warn)" style={{ overflowWrap: "anywhere" }}>
          {reason}
        </Text>
      ))}
    </Stack>
  );
}
