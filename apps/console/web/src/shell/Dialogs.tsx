import { lazyPart } from "@/components/lazyPart";
import { dialogsFailed, useDialogsAsked } from "@/components/modals";

const DialogsOpen = lazyPart(() => import("./DialogsOpen"));

/**
 * Shows the dialogs that pages open without a place of their own, such as confirmations. Their code is loaded with the
 * first one.
 */
export function Dialogs() {
  const asked = useDialogsAsked();
  return asked > 0 && <DialogsOpen use={asked} failed={dialogsFailed} />;
}
