import { createContext, useContext, useEffect, useRef } from "react";

/** The part of a form that tells whether a value differs from its initial one. */
interface Dirty {
  isDirty: () => boolean;
}

type Forms = Set<() => boolean>;

// The running work among them, such as the changes of several channels: it has no values, and stops when it is left.
const work: Forms = new Set();

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

/** Gives up the values of all forms, for a user who wants to leave without them. */
export function discardUnsaved() {
  for (const forms of [all, onPage, work]) forms.clear();
}

/**
 * Keeps the values of a form from being dropped unasked: by its dialog, when the page is left, and when the session
 * ends.
 */
export const useUnsaved = (form: Dirty) => useGuarded(form, false);

/** Asks in the same cases before running work is stopped. */
export const useRunning = (running: () => boolean) => useGuarded({ isDirty: running }, true);

function useGuarded(form: Dirty, runs: boolean) {
  const latest = useRef(form);
  const forms = useContext(FormsOfDialog);
  useEffect(() => {
    latest.current = form;
  });
  useEffect(() => {
    const unsaved = () => latest.current.isDirty();
    const sets = [all, forms ?? onPage, ...(runs ? [work] : [])];
    for (const set of sets) set.add(unsaved);
    return () => {
      for (const set of sets) set.delete(unsaved);
    };
  }, [forms, runs]);
}
