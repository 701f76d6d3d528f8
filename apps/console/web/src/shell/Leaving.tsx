import { useBlocker } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";

import { anyUnsaved, losesUnsaved } from "@/components/unsaved";

const LeaveQuestion = lazy(() => import("./LeaveQuestion"));

/**
 * Asks before the user leaves a page whose forms have values that are not saved. The browser asks before it closes or
 * reloads the page.
 */
export function Leaving() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ action }) => losesUnsaved(action),
    enableBeforeUnload: () => anyUnsaved(),
    withResolver: true,
  });
  const [wanted, setWanted] = useState(false);
  const opened = status === "blocked";
  if (opened && !wanted) setWanted(true);
  return (
    wanted && (
      <Suspense>
        <LeaveQuestion opened={opened} stay={() => reset?.()} leave={() => proceed?.()} />
      </Suspense>
    )
  );
}
