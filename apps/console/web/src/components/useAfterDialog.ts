import { useDebouncedValue } from "@mantine/hooks";

const focusReturns = 30; // ms; a closing dialog returns the focus after 10 ms

/**
 * Delays opening a dialog until the dialog before it has returned the focus. If the second dialog opened at once,
 * neither dialog would have the focus.
 */
export function useAfterDialog(wanted: boolean): boolean {
  const [settled] = useDebouncedValue(wanted, focusReturns);
  return wanted && settled;
}
