import { type RefObject, useEffect, useRef, useState } from "react";

import { newId } from "@/api/newId";
import { messageOf } from "@/api/problem";
import { useAnswering } from "@/components/unsaved";
import { decimalUsd, sumUsd } from "@/format/money";

import { type Answer, noAnswer } from "./answer";
import type { Attachment } from "./attachments";
import type { Call, Outcome } from "./call";
import { logOf, uncharged, withCharge } from "./charge";
import { type AssistantTurn, contextOf, type Receipt, type Turn } from "./conversation";
import { requestOf } from "./request";
import type { Settings } from "./settings";
import { fresh, restore, serialize, type State } from "./storage";
import { useHistory } from "./useHistory";

/** The answers that are streaming, by the number of their column. */
type Live = Record<number, Answer>;

/** A call in flight. */
interface Running {
  abort: AbortController;
  /** The part of the answer that has arrived. */
  answer: Answer | undefined;
  receipt: Receipt | undefined;
  /**
   * True if the call has ended. It is kept until its answer is part of the stored state: a reload aborts the call
   * before the page learns of it.
   */
  ended: boolean;
}

/** Where the answers come from, and what the browser keeps of them. */
export interface Source {
  /** The name in the session storage. */
  key: string;
  /** The user with whose history the conversations are stored; undefined: there is no history. */
  historyOf: string | undefined;
  /** Makes a call. An abort before the response started is thrown. */
  call: (call: Call) => Promise<Outcome>;
}

/**
 * Holds the playground's state: the conversation and the settings, which survive a reload, and the answers that are
 * streaming, one in each column. If the selected model is not in `models`, the first one is selected, and a second one
 * that is not there is dropped.
 */
export function usePlayground({ key, historyOf, call: make }: Source, models: readonly string[]) {
  const [state, setState] = useState(() => withModels(restore(sessionStorage.getItem(key)), models));
  const [live, setLive] = useState<Live>({});
  const calls = useRef(new Map<number, Running>());
  const frame = useFrame();
  const history = useHistory(historyOf, state);

  useEffect(() => {
    sessionStorage.setItem(key, serialize(state));
    for (const [column, { ended }] of calls.current) if (ended) calls.current.delete(column);
  }, [key, state]);
  useKept(key, state, calls);
  useCharges(state.columns, setState);
  useEffect(() => () => stopAll(calls.current), []);
  const running = Object.keys(live).length > 0;
  useAnswering(() => running);

  const showLive = () =>
    setLive(
      Object.fromEntries(
        [...calls.current]
          .filter(([, { ended }]) => !ended)
          .map(([column, { answer }]) => [column, answer ?? noAnswer]),
      ),
    );

  const run = async (column: number, turns: Turn[]) => {
    // Only one call runs in a column at a time.
    if (calls.current.get(column)?.ended === false) return;
    const call: Running = { abort: new AbortController(), answer: undefined, receipt: undefined, ended: false };
    calls.current.set(column, call);
    setState((before) => ({ ...before, id: before.id || newId(), columns: before.columns.with(column, turns) }));
    showLive();
    const onAnswer = (answer: Answer, receipt: Receipt) => {
      Object.assign(call, { answer, receipt });
      frame(showLive);
    };
    const turn = await turnOf(() =>
      make({ request: requestOf(settingsFor(state.settings, column), turns), signal: call.abort.signal, onAnswer }),
    );
    // The conversation may be another one now.
    if (calls.current.get(column) !== call) return;
    call.ended = true;
    showLive();
    setState((before) => withAnswer(before, column, turn));
  };
  const replace = (next: State) => {
    stopAll(calls.current);
    calls.current.clear();
    showLive();
    setState(withModels(next, models));
  };
  return {
    ...state,
    live,
    running,
    history,
    /** Generates an answer to the turns in a column. */
    run: (column: number, turns: Turn[]) => void run(column, turns),
    /** Sends a message of the user to all columns. */
    send: (text: string, attachments: Attachment[] = []) =>
      state.columns.forEach((turns, column) => void run(column, [...turns, userTurn(text, attachments)])),
    stop: () => stopAll(calls.current),
    setTurns: (column: number, turns: Turn[]) =>
      setState((before) => ({ ...before, columns: before.columns.with(column, turns) })),
    set: (settings: Partial<Settings>) =>
      setState((before) => withSettings(before, { ...before.settings, ...settings })),
    /** Removes the first column. The second one takes its place. */
    keepSecond: () =>
      setState((before) => ({
        ...before,
        settings: { ...before.settings, model: before.settings.rival, rival: "" },
        columns: before.columns.slice(1),
      })),
    /** Begins a conversation with the same settings, or with those given. */
    begin: (settings: Settings = state.settings) => replace(withSettings(fresh, settings)),
    open: (kept: State) => replace(kept),
  };
}

export type Playground = ReturnType<typeof usePlayground>;

/** Returns the settings of the calls in a column. */
export const settingsFor = (settings: Settings, column: number): Settings =>
  column === 0 ? settings : { ...settings, model: settings.rival };

/** Returns the state with other settings. A second model gets a column, which begins with the conversation so far. */
export function withSettings({ columns: [first = [], second], ...rest }: State, settings: Settings): State {
  return { ...rest, settings, columns: settings.rival ? [first, second ?? contextOf(first)] : [first] };
}

function withModels(state: State, models: readonly string[]): State {
  const { model, rival } = state.settings;
  return withSettings(state, {
    ...state.settings,
    model: models.includes(model) ? model : (models[0] ?? ""),
    rival: models.includes(rival) ? rival : "",
  });
}

function stopAll(calls: ReadonlyMap<number, Running>) {
  for (const { abort } of calls.values()) abort.abort();
}

/**
 * Stores the parts of answers that have arrived as stopped turns when the user leaves or reloads the page during a
 * call.
 */
function useKept(key: string, state: State, calls: RefObject<Map<number, Running>>) {
  const latest = useRef(state);
  useEffect(() => {
    latest.current = state;
  });
  useEffect(() => {
    const running = calls.current;
    const keep = () => {
      // The stored state is gone if the user has signed out.
      if (running.size === 0 || sessionStorage.getItem(key) === null) return;
      sessionStorage.setItem(key, serialize([...running].reduce(withArrived, latest.current)));
    };
    window.addEventListener("pagehide", keep);
    return () => {
      window.removeEventListener("pagehide", keep);
      keep();
    };
  }, [key, calls]);
}

function withArrived(state: State, [column, { answer, receipt }]: [number, Running]): State {
  if (!answer) return state;
  const { usage: _, ...said } = answer;
  return withAnswer(state, column, { id: newId(), role: "assistant", ...said, state: "stopped", receipt });
}

/** Reads the charges of answers that were stopped from their usage logs. */
function useCharges(columns: Turn[][], setState: (change: (before: State) => State) => void) {
  const asked = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, receipt } of uncharged(columns.flat())) {
      if (asked.current.has(id)) continue;
      asked.current.add(id);
      void logOf(receipt.requestId).then((log) => log && setState((before) => withCharge(before, id, log)));
    }
  }, [columns, setState]);
}

/**
 * Returns a function that does something in the next animation frame, once for all calls before: a stream can deliver
 * many events within a frame.
 */
function useFrame() {
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return (act: () => void) => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(act);
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
    if (error instanceof DOMException && error.name === "AbortError")
      return { ...turn, ...said, state: "stopped", receipt: undefined };
    return {
      ...turn,
      ...said,
      state: "failed",
      receipt: undefined,
      failure: { message: messageOf(error), type: undefined, code: undefined, param: undefined },
    };
  }
}

/** Returns the state with the answer appended to a column, and its cost added to the total. */
function withAnswer({ columns, spent, ...rest }: State, column: number, turn: AssistantTurn): State {
  const { quota = "0", input = 0, output = 0 } = turn.receipt ?? {};
  const usd = decimalUsd(sumUsd([spent.usd, quota]));
  return {
    ...rest,
    columns: columns.map((turns, i) => (i === column ? [...turns, turn] : turns)),
    spent: { usd, calls: spent.calls + 1, tokens: spent.tokens + input + output },
  };
}

const userTurn = (text: string, attachments: Attachment[]): Turn => ({
  id: newId(),
  role: "user",
  text,
  ...(attachments.length > 0 && { attachments }),
});

export const toolTurn = (callId: string, name: string, text: string): Turn => ({
  id: newId(),
  role: "tool",
  callId,
  name,
  text,
});
