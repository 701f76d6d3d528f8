import { useEffect, useRef, useState } from "react";

import { useQuestion } from "@/api/confirmation";
import { lazyPart } from "@/components/lazyPart";

const ConfirmIdentity = lazyPart(() => import("./ConfirmIdentity"));

const focusReturns = 60; // ms; by then the form that waited has enabled its button again

/** Asks users to confirm that it is them. The code of the dialog is loaded with the first question. */
export function Confirmations() {
  const question = useQuestion();
  const [wanted, setWanted] = useState(false);
  const open = useRef(question);
  if (!wanted && question) setWanted(true);
  useEffect(() => {
    open.current = question;
    if (!question) return;
    const { before } = question;
    return () => {
      setTimeout(() => before instanceof HTMLElement && before.isConnected && before.focus(), focusReturns);
    };
  }, [question]);
  // Listens from the start, and so before the dialogs of pages: Escape must close this dialog only, and not the form
  // below it.
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.isComposing || !open.current) return;
      event.stopImmediatePropagation();
      open.current.answer(false);
    };
    window.addEventListener("keydown", close, { capture: true });
    return () => window.removeEventListener("keydown", close, { capture: true });
  }, []);
  return wanted && <ConfirmIdentity question={question} use={question} failed={() => open.current?.answer(false)} />;
}
