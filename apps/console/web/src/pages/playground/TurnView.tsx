import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { ActionIcon, CopyButton, Group, Stack, Text, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconPencil, IconRefresh, IconTrash, type TablerIcon } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

import type { Answer, ToolCall } from "./answer";
import { AttachmentList } from "./AttachmentList";
import { Code } from "./Code";
import type { ToolTurn, Turn } from "./conversation";
import { Editor, type TurnActions } from "./Editor";
import { Ending } from "./Ending";
import { parse } from "./json";
import { Markdown } from "./Markdown";
import classes from "./Playground.module.css";
import { ReceiptLine } from "./Receipt";
import { formatted } from "./settings";

/** Returns the name of a turn: its author, or the function whose result it is. */
function nameOf(turn: Turn): string {
  if (turn.role === "user") return t`User`;
  if (turn.role === "assistant") return t`Assistant`;
  const { name } = turn;
  return t`Result of ${name}`;
}

interface TurnProps {
  turn: Turn;
  actions: TurnActions;
  /** True during a call. */
  busy: boolean;
  /** False if the settings allow no call. */
  ready: boolean;
}

/** Shows one turn of the conversation with its actions. */
export function TurnView({ turn, actions, busy, ready }: TurnProps) {
  const [editing, setEditing] = useState(false);
  return (
    <article className={classes["turn"]} aria-label={nameOf(turn)}>
      <Group justify="space-between" gap="xs" mih={28}>
        <Text size="sm" fw={600} c="dimmed">
          {turn.role === "tool" ? <ResultOf turn={turn} /> : nameOf(turn)}
        </Text>
        <Group gap={2} className={classes["actions"]}>
          <CopyAction text={turn.text} />
          <Action icon={IconPencil} label={t`Edit`} disabled={busy} onClick={() => setEditing(true)} />
          <Action
            icon={IconRefresh}
            label={turn.role === "assistant" ? t`Regenerate` : t`Ask again from here`}
            disabled={busy || !ready}
            onClick={() => actions.again(turn)}
          />
          <Action icon={IconTrash} label={t`Delete`} disabled={busy} onClick={() => actions.remove(turn)} />
        </Group>
      </Group>
      {editing ? (
        <Editor turn={turn} actions={actions} ready={ready && !busy} close={() => setEditing(false)} />
      ) : (
        <Content turn={turn} />
      )}
    </article>
  );
}

function ResultOf({ turn }: { turn: ToolTurn }) {
  const name = <span className="mono">{turn.name}</span>;
  return <Trans>Result of {name}</Trans>;
}

/** Shows the answer while it is streaming. `json` is true if the answer will be JSON. */
export function LiveTurn({ answer, json }: { answer: Answer; json: boolean }) {
  const silent = !answer.text && !answer.reasoning && answer.calls.length === 0;
  return (
    <article className={classes["turn"]} aria-label={t`Assistant, answering`} aria-busy>
      <Text size="sm" fw={600} c="dimmed" mb={4}>
        <Trans>Assistant</Trans>
      </Text>
      <AnswerBody answer={answer} json={json} />
      <span className={classes["cursor"]} aria-hidden />
      {silent && (
        <Text component="span" size="sm" c="dimmed" ml={6}>
          <Trans>Waiting for the first token</Trans>
        </Text>
      )}
    </article>
  );
}

function Content({ turn }: { turn: Turn }) {
  if (turn.role === "user") {
    return (
      <Stack gap="xs" className={classes["bubble"]}>
        {turn.text && <div>{turn.text}</div>}
        <AttachmentList files={turn.attachments ?? []} />
      </Stack>
    );
  }
  if (turn.role === "tool") return <Json text={turn.text} label={nameOf(turn)} />;
  return (
    <>
      <AnswerBody answer={turn} />
      <Ending turn={turn} />
      {turn.receipt && <ReceiptLine receipt={turn.receipt} />}
    </>
  );
}

/** Shows JSON with indentation and colors, and other text as it is. */
function Json({ text, label }: { text: string; label: string }) {
  return <Code code={formatted(text)} language={isJson(text) ? "json" : undefined} label={label} wrap />;
}

/** Reports whether a text is a JSON object or array. */
const isJson = (text: string) => /^\s*[{[]/.test(text) && typeof parse(text) === "object";

function AnswerBody({
  answer,
  json = false,
}: {
  answer: Pick<Answer, "text" | "reasoning" | "calls">;
  json?: boolean;
}) {
  return (
    <Stack gap="sm">
      {answer.reasoning && (
        <details open={!answer.text}>
          <Text component="summary" size="sm" c="dimmed" style={{ cursor: "pointer" }}>
            <Trans>Reasoning</Trans>
          </Text>
          <div className={classes["reasoning"]}>{answer.reasoning}</div>
        </details>
      )}
      {answer.text &&
        (json || isJson(answer.text) ? (
          <Json text={answer.text} label={t`JSON answer`} />
        ) : (
          <Markdown text={answer.text} />
        ))}
      {answer.calls.map((call, i) => (
        <CallView key={call.id || i} call={call} />
      ))}
    </Stack>
  );
}

function CallView({ call }: { call: ToolCall }) {
  const called = call.name;
  const name = <span className="mono">{called}</span>;
  return (
    <div className={classes["call"]}>
      <Text size="sm" mb={6}>
        <Trans>
          <span className="dimmed">Calls</span> {name}
        </Trans>
      </Text>
      <Code code={formatted(call.arguments || "{}")} language="json" label={t`Arguments of ${called}`} wrap />
    </div>
  );
}

function CopyAction({ text }: { text: string }): ReactNode {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Action icon={copied ? IconCheck : IconCopy} label={copied ? t`Copied` : t`Copy`} onClick={copy} />
      )}
    </CopyButton>
  );
}

function Action({
  icon: Icon,
  label,
  onClick,
  disabled,
}: {
  icon: TablerIcon;
  label: string;
  onClick: () => void;
  disabled?: boolean;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={28} aria-label={label} onClick={onClick} disabled={disabled}>
        <Icon size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
