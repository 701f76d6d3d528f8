import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";

import { lazyPart } from "@/components/lazyPart";
import { anyLostByReload, type Loss, losesUnsaved, lossOf } from "@/components/unsaved";

const LeaveQuestion = lazyPart(() => import("./LeaveQuestion"));

/**
 * Asks before the user leaves a page whose forms have values that are not saved, or on which work runs. The browser
 * asks before it closes or reloads the page.
 */
export function Leaving() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ action }) => losesUnsaved(action),
    enableBeforeUnload: () => anyLostByReload(),
    withResolver: true,
  });
  const [asked, setAsked] = useState<{ loss: Loss }>();
  const opened = status === "blocked";
  const [before, setBefore] = useState(opened);
  if (opened !== before) {
    setBefore(opened);
    if (opened) setAsked({ loss: lossOf() });
  }
  const stay = () => reset?.();
  return (
    asked && (
      <LeaveQuestion
        opened={opened}
        loss={asked.loss}
        stay={stay}
        leave={() => proceed?.()}
        use={opened}
        failed={stay}
      />
    )
  );
}
