import { type KeyboardEvent, useState } from "react";

/**
 * Holds the text of a field that reports it later, to a caller who passes `value`. The text follows a value that is not
 * the one that the field reported last.
 */
export function useTyped(value: string) {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  const [reported, setReported] = useState(value);
  if (value !== seen) {
    setSeen(value);
    if (value !== reported) {
      // Changed from outside, for example by "show all".
      setTyped(value);
      setReported(value);
    }
  }
  return { typed, setTyped, setReported };
}

/**
 * Reports whether an input method gets the key. In Safari, a composition ends before the Enter that accepts its text.
 * Only the deprecated key code says that this Enter is for the input method: it is 229.
 */
export const isComposing = (event: KeyboardEvent) => event.nativeEvent.isComposing || event.keyCode === 229;
