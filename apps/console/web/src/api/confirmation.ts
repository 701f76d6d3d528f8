import { t } from "@lingui/core/macro";
import { useSyncExternalStore } from "react";

/** The question whether it is the user who works at this page. The dialog of the shell asks it. */
export interface Question {
  /** Ends the question: with true after the server has accepted a proof, with false if the user declined. */
  answer: (confirmed: boolean) => void;
  /** The element that had the focus before the question, and gets it back afterwards. */
  before: Element | null;
}

/**
 * The error of a request that was not sent again because the user declined to confirm. Forms show no message for it.
 */
export class Declined extends Error {
  constructor() {
    super(t`Nothing was changed because you did not confirm that it's you.`);
    this.name = "Declined"; // not translated: the name of the class
  }
}

let question: Question | undefined;
let answered: Promise<boolean> | undefined;
const listeners = new Set<() => void>();

function show(next: Question | undefined) {
  question = next;
  for (const listener of listeners) listener();
}

/**
 * Asks the user to confirm and returns whether the user did. Calls at the same time share one dialog. On pages without
 * the dialog, which need no session, the answer is false.
 */
export function confirmIdentity(before: Element | null): Promise<boolean> {
  if (listeners.size === 0) return Promise.resolve(false);
  answered ??= new Promise((resolve) => {
    show({
      before,
      answer: (confirmed) => {
        answered = undefined;
        show(undefined);
        resolve(confirmed);
      },
    });
  });
  return answered;
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) question?.answer(false); // the user left the signed-in pages
  };
}

/** Returns the open question, for the dialog that asks it. */
export const useQuestion = (): Question | undefined => useSyncExternalStore(subscribe, () => question);

/**
 * The name of the channel on which a tab tells the others that the user has signed in again at the identity provider.
 */
export const confirmedChannel = "tollgate-confirmed";
