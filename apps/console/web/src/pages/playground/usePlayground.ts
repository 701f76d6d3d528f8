import { useEffect, useRef, useState } from "react";

import { messageOf } from "@/api/problem";
import { decimalUsd, sumUsd } from "@/format/money";

import { type Answer, noAnswer } from "./answer";
import { callModel, type Outcome } from "./call";
import type { AssistantTurn, Turn } from "./conversation";
import { requestOf } from "./request";
import type { Settings } from "./settings";
import { fresh, restore, serialize, type State } from "./storage";

const newId = () => crypto.randomUUID();

/**
 * Holds the playground's state: the conversation and the settings, which survive a reload, and the answer that is
 * streaming. If the selected model is not in `models`, the first one is selected.
 */
export function usePlayground(userId: string, models: readonly string[]) {
  const key = `tollgate.playground.${userId}`;
  const [state, setState] = useState(() => restore(sessionStorage.getItem(key)));
  const [live, setLive] = useState<Answer>();
  const controller = useRef<AbortController>(undefined);
  const latest = useFrame(setLive);
  const { model } = state.settings;
  const settings = { ...state.settings, model: models.includes(model) ? model : (models[0] ?? "") };

  useEffect(() => sessionStorage.setItem(key, serialize(state)), [key, state]);
  useEffect(() => () => controller.current?.abort(), []);

  const run = async (turns: Turn[]) => {
    // Only one call runs at a time.
    if (controller.current) return;
    const abort = new AbortController();
    controller.current = abort;
    setState((before) => ({ ...before, turns }));
    setLive(noAnswer);
    const turn = await turnOf(() => callModel({ request: requestOf(settings, turns), signal: abort.signal, onAnswer: latest.show }));
    // A frame that is still scheduled would show the finished answer as streaming again.
    latest.drop();
    controller.current = undefined;
    setLive(undefined);
    setState((before) => withAnswer(before, turn));
  };
  return {
    ...state,
    settings,
    live,
    run: (turns: Turn[]) => void run(turns),
    stop: () => controller.current?.abort(),
    setTurns: (turns: Turn[]) => setState((before) => ({ ...before, turns })),
    set: (settings: Partial<Settings>) => setState((before) => ({ ...before, settings: { ...before.settings, ...settings } })),
    clear: () => setState((before) => ({ ...fresh, settings: before.settings })),
  };
}

export type Playground = ReturnType<typeof usePlayground>;

/** Limits updates to one for each animation frame, because a stream can deliver many events within a frame. */
function useFrame(show: (answer: Answer) => void) {
  const frame = useRef(0);
  return {
    show: (answer: Answer) => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => show(answer));
    },
    drop: () => cancelAnimationFrame(frame.current),
  };
}

/**
 * Makes a call and returns it as a turn of the conversation. It never throws: errors and aborts become part of the
 * turn.
 */
async function turnOf(call: () => Promise<Outcome>): Promise<AssistantTurn> {
  const turn = { id: newId(), role: "assistant" as const };
  try {
    const { answer, receipt, stopped } = await call();
    const { usage: _, ...said } = answer;
    return { ...turn, ...said, receipt, state: stopped ? "stopped" : answer.failure ? "failed" : "done" };
  } catch (error) {
    const { usage: _, ...said } = noAnswer;
    if (error instanceof DOMException && error.name === "AbortError") return { ...turn, ...said, state: "stopped", receipt: undefined };
    return { ...turn, ...said, state: "failed", receipt: undefined, failure: { message: messageOf(error), type: undefined, code: undefined, param: undefined } };
  }
}

/** Returns the state with the answer appended and its cost added to the total. */
function withAnswer({ turns, spent, ...rest }: State, turn: AssistantTurn): State {
  const { quota = "0", input = 0, output = 0 } = turn.receipt ?? {};
  const usd = decimalUsd(sumUsd([spent.usd, quota]));
  return { ...rest, turns: [...turns, turn], spent: { usd, calls: spent.calls + 1, tokens: spent.tokens + input + output } };
}

export const userTurn = (text: string): Turn => ({ id: newId(), role: "user", text });

export const toolTurn = (callId: string, name: string, text: string): Turn => ({ id: newId(), role: "tool", callId, name, text });
