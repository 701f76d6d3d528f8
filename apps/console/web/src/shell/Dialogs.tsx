import { lazy, Suspense } from "react";

import { useDialogsWanted } from "@/components/modals";

const DialogsOpen = lazy(() => import("./DialogsOpen"));

/**
 * Shows the dialogs that pages open without a place of their own, such as confirmations. Their code is loaded with the
 * first one.
 */
export const Dialogs = () =>
  useDialogsWanted() && (
    <Suspense>
      <DialogsOpen />
    </Suspense>
  );
