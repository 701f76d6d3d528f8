import { useSyncExternalStore } from "react";

// Whether a dialog was asked for. The shell then loads the code of dialogs, and tells when it is mounted.
let wanted = false;
const listeners = new Set<() => void>();
let mounted: () => void = () => undefined;
const ready = new Promise<void>((resolve) => {
  mounted = resolve;
});

/** Returns when the shell can show dialogs of @mantine/modals. Their code is loaded with the first one. */
export function dialogsReady(): Promise<void> {
  wanted = true;
  for (const listener of listeners) listener();
  return ready;
}

/** Tells that the shell can show dialogs. */
export const dialogsMounted = () => mounted();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Reports whether the shell has to show dialogs. */
export const useDialogsWanted = () => useSyncExternalStore(subscribe, () => wanted);
