import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";

import { anyRunning, anyUnsaved, losesUnsaved } from "@/components/unsaved";

const LeaveQuestion = lazy(() => import("./LeaveQuestion"));

/**
 * Asks before the user leaves a page whose forms have values that are not saved, or on which work runs. The browser asks before it closes or
 * reloads the page.
 */
export function Leaving() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ action }) => losesUnsaved(action),
    enableBeforeUnload: () => anyUnsaved(),
    withResolver: true,
  });
  const [asked, setAsked] = useState<{ running: boolean }>();
  const opened = status === "blocked";
  const [before, setBefore] = useState(opened);
  if (opened !== before) {
    setBefore(opened);
    if (opened) setAsked({ running: anyRunning() });
  }
  return (
    asked && (
      <Suspense>
        <LeaveQuestion opened={opened} running={asked.running} stay={() => reset?.()} leave={() => proceed?.()} />
      </Suspense>
    )
  );
}
