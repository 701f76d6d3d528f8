import { ActionIcon, Alert, Badge, Button, CopyButton, Group, Stack, Text, Textarea, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy, IconPencil, IconRefresh, IconTrash, type TablerIcon } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

import type { Answer, Failure, ToolCall } from "./answer";
import type { AssistantTurn, Turn } from "./conversation";
import { Markdown } from "./Markdown";
import classes from "./Playground.module.css";
import { ReceiptLine } from "./Receipt";

/** The actions on one turn of the conversation. */
export interface TurnActions {
  edit: (turn: Turn, text: string) => void;
  /** Generates a new answer in place of this one, or to this user's turn. */
  again: (turn: Turn) => void;
  remove: (turn: Turn) => void;
}

const names = { user: "User", assistant: "Assistant", tool: "Result of" } as const;

/** Shows one turn of the conversation with its actions. */
export function TurnView({ turn, actions, busy }: { turn: Turn; actions: TurnActions; busy: boolean }) {
  const [editing, setEditing] = useState(false);
  return (
    <article className={classes["turn"]} aria-label={`${names[turn.role]}${turn.role === "tool" ? ` ${turn.name}` : ""}`}>
      <Group justify="space-between" gap="xs" mih={28}>
        <Text size="sm" fw={600} c="dimmed">
          {names[turn.role]} {turn.role === "tool" && <span className="mono">{turn.name}</span>}
        </Text>
        <Group gap={2} className={classes["actions"]}>
          <CopyAction text={turn.text} />
          <Action icon={IconPencil} label="Edit" disabled={busy} onClick={() => setEditing(true)} />
          {turn.role !== "tool" && <Action icon={IconRefresh} label={turn.role === "user" ? "Ask again from here" : "Regenerate"} disabled={busy} onClick={() => actions.again(turn)} />}
          <Action icon={IconTrash} label="Delete" disabled={busy} onClick={() => actions.remove(turn)} />
        </Group>
      </Group>
      {editing ? <Editor turn={turn} save={(text) => actions.edit(turn, text)} close={() => setEditing(false)} /> : <Content turn={turn} />}
    </article>
  );
}

/** Shows the answer while it is streaming. */
export function LiveTurn({ answer }: { answer: Answer }) {
  const silent = !answer.text && !answer.reasoning && answer.calls.length === 0;
  return (
    <article className={classes["turn"]} aria-label="Assistant, answering" aria-busy>
      <Text size="sm" fw={600} c="dimmed" mb={4}>
        Assistant
      </Text>
      <AnswerBody answer={answer} />
      <span className={classes["cursor"]} aria-hidden />
      {silent && (
        <Text component="span" size="sm" c="dimmed" ml={6}>
          Waiting for the first token
        </Text>
      )}
    </article>
  );
}

function Content({ turn }: { turn: Turn }) {
  if (turn.role === "user") return <div className={classes["bubble"]}>{turn.text}</div>;
  if (turn.role === "tool") return <pre className={`${classes["call"]} ${classes["code"]}`}>{turn.text}</pre>;
  return (
    <>
      <AnswerBody answer={turn} />
      <Ending turn={turn} />
      {turn.receipt && <ReceiptLine receipt={turn.receipt} />}
    </>
  );
}

function AnswerBody({ answer }: { answer: Pick<Answer, "text" | "reasoning" | "calls"> }) {
  return (
    <Stack gap="sm">
      {answer.reasoning && (
        <details open={!answer.text}>
          <Text component="summary" size="sm" c="dimmed" style={{ cursor: "pointer" }}>
            Reasoning
          </Text>
          <div className={classes["reasoning"]}>{answer.reasoning}</div>
        </details>
      )}
      {answer.text && <Markdown text={answer.text} />}
      {answer.calls.map((call, i) => (
        <CallView key={call.id || i} call={call} />
      ))}
    </Stack>
  );
}

function CallView({ call }: { call: ToolCall }) {
  return (
    <div className={classes["call"]}>
      <Text size="sm">
        <Text component="span" c="dimmed" inherit>
          Calls
        </Text>{" "}
        <span className="mono">{call.name}</span>
      </Text>
      <pre className={classes["code"]}>{call.arguments || "{}"}</pre>
    </div>
  );
}

const endings: Record<string, string> = {
  length: "Cut at the most output tokens",
  max_output_tokens: "Cut at the most output tokens",
  content_filter: "Ended by a content filter",
};

/** Shows why an answer ended, unless the model finished it normally. */
function Ending({ turn }: { turn: AssistantTurn }) {
  const word = turn.state === "stopped" ? "Stopped: what was generated is charged" : endings[turn.finish ?? ""];
  const nothing = turn.state === "done" && !turn.text && turn.calls.length === 0;
  return (
    <>
      {turn.failure && <FailureAlert failure={turn.failure} />}
      {nothing && <Text c="dimmed">The answer is empty.</Text>}
      {word && (
        <Badge color="yellow" mt={8}>
          {word}
        </Badge>
      )}
    </>
  );
}

function FailureAlert({ failure }: { failure: Failure }) {
  const words = [failure.status && `status ${failure.status}`, failure.type, failure.code, failure.param && `param ${failure.param}`].filter(Boolean);
  return (
    <Alert color="red" role="alert" mt={6} title={failure.message}>
      <Text size="sm" className="mono">
        {words.join(" · ")}
      </Text>
    </Alert>
  );
}

function Editor({ turn, save, close }: { turn: Turn; save: (text: string) => void; close: () => void }) {
  const [text, setText] = useState(turn.text);
  return (
    <Stack gap="xs">
      <Textarea aria-label="Text of the turn" autosize minRows={2} maxRows={16} value={text} onChange={(event) => setText(event.currentTarget.value)} autoFocus />
      <Group gap="xs" justify="flex-end">
        <Button variant="default" size="xs" onClick={close}>
          Cancel
        </Button>
        <Button size="xs" onClick={() => { save(text); close(); }}>
          Save
        </Button>
      </Group>
    </Stack>
  );
}

function CopyAction({ text }: { text: string }): ReactNode {
  return <CopyButton value={text}>{({ copied, copy }) => <Action icon={copied ? IconCheck : IconCopy} label={copied ? "Copied" : "Copy"} onClick={copy} />}</CopyButton>;
}

function Action({ icon: Icon, label, onClick, disabled }: { icon: TablerIcon; label: string; onClick: () => void; disabled?: boolean }) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={28} aria-label={label} onClick={onClick} disabled={disabled}>
        <Icon size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
