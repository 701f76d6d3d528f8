import { Button, Group, VisuallyHidden } from "@mantine/core";
import { IconMessage } from "@tabler/icons-react";
import { useEffect, useRef } from "react";

import { EmptyState } from "@/components/states";
import { showUsd } from "@/format/money";

import { upTo, without, withText, type Turn } from "./conversation";
import classes from "./Playground.module.css";
import { LiveTurn, TurnView } from "./TurnView";
import { userTurn, type Playground } from "./usePlayground";

const suggestions = ["Explain in two sentences what a model gateway is.", "Write a haiku about rate limits.", "List three uses of JSON Schema as a table."];

/** Scrolls to the end as the answer grows, unless the reader has scrolled away from the end. */
function useFollow(playground: Playground) {
  const frame = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const onScroll = () => {
    const box = frame.current;
    if (box) following.current = box.scrollHeight - box.scrollTop - box.clientHeight < 80;
  };
  useEffect(() => {
    const box = frame.current;
    if (box && following.current) box.scrollTop = box.scrollHeight;
  }, [playground.turns, playground.live]);
  return { frame, onScroll };
}

/** Shows the conversation. `ready` is true if the next turn can be sent. */
export function Messages({ playground, ready }: { playground: Playground; ready: boolean }) {
  const { turns, live, run, setTurns } = playground;
  const { frame, onScroll } = useFollow(playground);
  const actions = {
    edit: (turn: Turn, text: string) => setTurns(withText(turns, turn.id, text)),
    again: (turn: Turn) => run(upTo(turns, turn.id)),
    remove: (turn: Turn) => setTurns(without(turns, turn.id)),
  };
  return (
    <div ref={frame} onScroll={onScroll} className={classes["messages"]} tabIndex={0} role="region" aria-label="Conversation">
      <div className={classes["column"]}>
        {turns.length === 0 && !live && (
          <EmptyState
            icon={IconMessage}
            title="Say something to a model"
            action={
              <Group justify="center" gap="xs" mt="sm">
                {suggestions.map((text) => (
                  <Button key={text} size="xs" variant="default" disabled={!ready} onClick={() => run([userTurn(text)])} styles={{ label: { whiteSpace: "normal" }, root: { height: "auto", paddingBlock: 6 } }}>
                    {text}
                  </Button>
                ))}
              </Group>
            }
          >
            Calls are charged like any other. What each one cost stands below its answer.
          </EmptyState>
        )}
        {turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} actions={actions} busy={live !== undefined} />
        ))}
        {live && <LiveTurn answer={live} />}
      </div>
      <VisuallyHidden role="status">{live ? "Answering" : announcement(turns.at(-1))}</VisuallyHidden>
    </div>
  );
}

/** Returns the text that screen readers announce when an answer is complete. */
function announcement(turn: Turn | undefined): string {
  if (turn?.role !== "assistant") return "";
  const cost = turn.receipt?.quota ? ` It cost ${showUsd(turn.receipt.quota)}.` : "";
  return `${turn.state === "failed" ? "The call failed." : "The answer is complete."}${cost} ${turn.text.slice(0, 2000)}`;
}
