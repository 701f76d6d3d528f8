import { useEffect, useRef } from "react";

/** Calls `act` when the user presses Esc while `active`, unless the key closes a dialog, a menu or a list. */
export function useEscape(active: boolean, act: () => void) {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    if (!active) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (
        event.key !== "Escape" ||
        event.isComposing ||
        document.activeElement?.closest('[role=dialog], [role=menu], [aria-expanded="true"]')
      )
        return;
      latest.current();
    };
    // Before the handlers of components, which close what is open.
    window.addEventListener("keydown", onKeyDown, true);
    return () => window.removeEventListener("keydown", onKeyDown, true);
  }, [active]);
}
