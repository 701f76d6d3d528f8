import { createContext, useContext, useEffect, useRef } from "react";

/** The part of a form that tells whether a value differs from its initial one. */
interface Dirty {
  isDirty: () => boolean;
}

type Forms = Set<() => boolean>;

// The running work among them, such as the changes of several channels: it has no values, and stops when it is left.
const work: Forms = new Set();

// Values that a page restores after it was left, until the session ends.
const ofSession: Forms = new Set();

// Answers that are being written. A page that is left keeps what has arrived, so that it is not asked about there.
const answers: Forms = new Set();

// All forms that are mounted, and those of them that are not within a dialog.
const all: Forms = new Set();
const onPage: Forms = new Set();

/** The forms within a dialog; undefined outside of dialogs. */
export const FormsOfDialog = createContext<Forms | undefined>(undefined);

/** Reports whether one of the forms has values that were not saved. */
export const anyUnsaved = (forms: Forms = all) => [...forms].some((unsaved) => unsaved());

/** Reports whether one of them is work that still runs. */
export const anyRunning = (forms: Forms = all) => [...forms].some((unsaved) => work.has(unsaved) && unsaved());

/**
 * Reports whether leaving a page would drop values that were not saved. The history's buttons also leave a page under a
 * dialog. Links cannot be reached there, and a form in a dialog may lead to another page itself once it is saved.
 */
export const losesUnsaved = (action: "PUSH" | "REPLACE" | "FORWARD" | "BACK" | "GO") =>
  anyUnsaved(action === "PUSH" || action === "REPLACE" ? onPage : all);

/** Reports whether a new start of the page would drop values that were not saved, or the rest of an answer. */
export const anyLostByReload = () => anyUnsaved() || anyUnsaved(answers);

/** Reports whether the end of the session would drop values that were not saved, or the rest of an answer. */
export const anyLostAtEnd = () => anyLostByReload() || anyUnsaved(ofSession);

/** What is lost: values that were not saved, work that is not begun yet, or the rest of an answer. */
export type Loss = "values" | "work" | "answer";

/** Returns what is lost foremost, where something is. */
export function lossOf(): Loss {
  if (anyRunning()) return "work";
  return !anyUnsaved() && anyUnsaved(answers) ? "answer" : "values";
}

/** Gives up the values of all forms, for a user who wants to leave without them. */
export function discardUnsaved() {
  for (const forms of [all, onPage, work, ofSession, answers]) forms.clear();
}

/**
 * Keeps the values of a form from being dropped unasked: by its dialog, when the page is left, and when the session
 * ends.
 */
export const useUnsaved = (form: Dirty) => useGuarded(form, "values");

/** Asks in the same cases before running work is stopped. */
export const useRunning = (running: () => boolean) => useGuarded({ isDirty: running }, "work");

/** Asks only when the session ends, for values that stay when the page is left. */
export const useUnsavedAtEnd = (filled: () => boolean) => useGuarded({ isDirty: filled }, "session");

/** Asks when the rest of an answer would be lost: when the session ends, and before the page is loaded again. */
export const useAnswering = (answering: () => boolean) => useGuarded({ isDirty: answering }, "answer");

function useGuarded(form: Dirty, kind: Loss | "session") {
  const latest = useRef(form);
  const forms = useContext(FormsOfDialog);
  useEffect(() => {
    latest.current = form;
  });
  useEffect(() => {
    const unsaved = () => latest.current.isDirty();
    const sets = {
      values: [all, forms ?? onPage],
      work: [all, forms ?? onPage, work],
      session: [ofSession],
      answer: [answers],
    }[kind];
    for (const set of sets) set.add(unsaved);
    return () => {
      for (const set of sets) set.delete(unsaved);
    };
  }, [forms, kind]);
}
