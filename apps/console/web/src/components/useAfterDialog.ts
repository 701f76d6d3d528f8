import { useDebouncedValue } from "@mantine/hooks";

const focusReturns = 30; // ms; a dialog that closes gives the focus back 10 ms later

/** Whether a dialog that follows on another may be open: once the other has given the focus back, which else neither of them would have. */
export function useAfterDialog(wanted: boolean): boolean {
  const [settled] = useDebouncedValue(wanted, focusReturns);
  return wanted && settled;
}
