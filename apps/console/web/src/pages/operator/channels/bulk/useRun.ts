import { useEffect, useRef, useState } from "react";

import { Declined } from "@/api/confirmation";
import { several } from "@/api/several";
import { useRunning } from "@/components/unsaved";

/** What became of one item: "skipped" was not started because the user did not confirm, or stopped the run. */
export type Progress =
  { state: "waiting" | "running" | "skipped" } | { state: "done"; text: string } | { state: "failed"; error: unknown };

/**
 * Calls `act` for several items, four at a time, and shows what becomes of each. `act` returns a short result for
 * display. The items that have not started are skipped when the component is removed, and when the user declines to
 * confirm: one question is enough. Until the end of the run, dialogs and pages ask before they are left.
 */
export function useRun<Item extends { id: string }>(act: (item: Item) => Promise<string>) {
  const [progress, setProgress] = useState<ReadonlyMap<string, Progress>>(new Map());
  const [running, setRunning] = useState(false);
  const removed = useRef(false);
  const active = useRef(false);
  useRunning(() => active.current);
  useEffect(() => {
    removed.current = false;
    return () => {
      removed.current = true;
    };
  }, []);
  const set = (entries: readonly (readonly [string, Progress])[]) =>
    setProgress((before) => new Map([...before, ...entries]));

  const run = async (items: readonly Item[]) => {
    let declined = false;
    const one = async (item: Item) => {
      if (declined || removed.current) return set([[item.id, { state: "skipped" }]]);
      set([[item.id, { state: "running" }]]);
      try {
        const text = await act(item);
        set([[item.id, { state: "done", text }]]);
      } catch (error) {
        declined ||= error instanceof Declined;
        set([[item.id, { state: "failed", error }]]);
      }
    };
    active.current = true;
    setRunning(true);
    set(items.map(({ id }) => [id, { state: "waiting" }]));
    await several(items, one);
    active.current = false;
    setRunning(false);
  };
  return { progress, running, run };
}

/** Returns the items that have not succeeded. */
export const unfinished = <Item extends { id: string }>(
  items: readonly Item[],
  progress: ReadonlyMap<string, Progress>,
): Item[] => items.filter(({ id }) => progress.get(id)?.state !== "done");
