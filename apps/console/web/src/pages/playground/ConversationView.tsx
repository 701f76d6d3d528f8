import { t } from "@lingui/core/macro";
import { Button, Group, VisuallyHidden } from "@mantine/core";
import { IconMessage } from "@tabler/icons-react";
import { useEffect, useRef } from "react";

import { EmptyState } from "@/components/states";
import { showUsd } from "@/format/money";

import { lastResult, openCalls, upTo, without, withText, type Turn } from "./conversation";
import classes from "./Playground.module.css";
import { ResultsForm } from "./ResultsForm";
import { LiveTurn, TurnView } from "./TurnView";
import { toolTurn, type Playground } from "./usePlayground";

const suggestions = () => [
  t`Explain in two sentences what a model gateway is.`,
  t`Write a haiku about rate limits.`,
  t`List three uses of JSON Schema as a table.`,
];

interface ConversationProps {
  playground: Playground;
  /** The number of the column. */
  column: number;
  /** False if the settings allow no call. */
  ready: boolean;
  /** Who is charged for requests. */
  note: string;
  label: string;
}

/** Shows the conversation with one model, and the form for the results of the functions that it called. */
export function ConversationView({ playground, column, ready, note, label }: ConversationProps) {
  const { columns, live: answers, run, setTurns, settings, send } = playground;
  const turns = columns[column] ?? [];
  const live = answers[column];
  const { frame, onScroll } = useFollow(turns, live);
  const calls = live ? [] : openCalls(turns);
  const again = (after: Turn[], turn: Turn) => run(column, upTo(after, turn.id));
  const actions = {
    edit: (turn: Turn, text: string) => setTurns(column, withText(turns, turn.id, text)),
    editAndAsk: (turn: Turn, text: string) => again(withText(turns, turn.id, text), turn),
    again: (turn: Turn) => again(turns, turn),
    remove: (turn: Turn) => setTurns(column, without(turns, turn.id)),
  };
  return (
    <div ref={frame} onScroll={onScroll} className={classes["messages"]} tabIndex={0} role="region" aria-label={label}>
      <div className={classes["column"]}>
        {turns.length === 0 && !live && (
          <Beginning ready={ready} comparing={columns.length > 1} note={note} send={send} />
        )}
        {turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} actions={actions} busy={live !== undefined} ready={ready} />
        ))}
        {live && <LiveTurn answer={live} json={settings.format !== "text"} />}
        {calls.length > 0 && (
          <ResultsForm
            key={calls[0]?.id}
            calls={calls}
            before={(name) => lastResult(turns, name)}
            send={(results) =>
              run(column, [...turns, ...results.map(({ call, text }) => toolTurn(call.id, call.name, text))])
            }
          />
        )}
      </div>
      <VisuallyHidden role="status">{live ? t`Answering` : announcement(turns.at(-1))}</VisuallyHidden>
    </div>
  );
}

/** Scrolls to the end as the answer grows, unless the reader has scrolled away from the end. */
function useFollow(turns: unknown, live: unknown) {
  const frame = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const onScroll = () => {
    const box = frame.current;
    if (box) following.current = box.scrollHeight - box.scrollTop - box.clientHeight < 80;
  };
  useEffect(() => {
    const box = frame.current;
    if (box && following.current) box.scrollTop = box.scrollHeight;
  }, [turns, live]);
  return { frame, onScroll };
}

/** Shows that the conversation has no messages yet, with examples. */
function Beginning({
  ready,
  comparing,
  note,
  send,
}: {
  ready: boolean;
  comparing: boolean;
  note: string;
  send: (text: string) => void;
}) {
  return (
    <EmptyState
      icon={IconMessage}
      title={comparing ? t`Ask both models` : t`Start a conversation`}
      action={
        comparing ? undefined : (
          <Group justify="center" gap="xs" mt="sm">
            {suggestions().map((text) => (
              <Button
                key={text}
                size="xs"
                variant="default"
                disabled={!ready}
                onClick={() => send(text)}
                styles={{ label: { whiteSpace: "normal", lineHeight: 1.4 }, root: { height: "auto", paddingBlock: 6 } }}
              >
                {text}
              </Button>
            ))}
          </Group>
        )
      }
    >
      {note}
    </EmptyState>
  );
}

/** Returns the text that screen readers announce when an answer is complete. */
function announcement(turn: Turn | undefined): string {
  if (turn?.role !== "assistant") return "";
  const cost = turn.receipt?.quota && !turn.receipt.on && showUsd(turn.receipt.quota);
  const sentences = [
    turn.state === "failed" ? t`The request failed.` : t`The answer is complete.`,
    cost && t`It cost ${cost}.`,
    turn.text.slice(0, 2000),
  ];
  return sentences.filter(Boolean).join(" ");
}
