import { useSyncExternalStore } from "react";

// How many dialogs were asked for. The shell then loads the code of dialogs, and tells when it is mounted.
let asked = 0;
const listeners = new Set<() => void>();
let mounted: () => void = () => undefined;
const wait = () =>
  new Promise<void>((resolve) => {
    mounted = resolve;
  });
let ready = wait();

/** Returns when the shell can show dialogs of @mantine/modals. Their code is loaded with the first one. */
export function dialogsReady(): Promise<void> {
  asked++;
  for (const listener of listeners) listener();
  return ready;
}

/** Tells that the shell can show dialogs. */
export const dialogsMounted = () => mounted();

/** Tells that the code of dialogs could not be loaded. The dialogs that wait for it are never shown. */
export function dialogsFailed() {
  ready = wait();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Returns how many dialogs were asked for. With the first one, the shell has to show dialogs. */
export const useDialogsAsked = () => useSyncExternalStore(subscribe, () => asked);
