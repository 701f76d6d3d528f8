export interface Bar {
  /** Both in percent of the whole call. */
  left: number;
  width: number;
}

/** Where each attempt lies within the call: one follows on the other. */
export function barsOf(attempts: { elapsed_ms: number }[], whole: number): Bar[] {
  const all = Math.max(whole, attempts.reduce((sum, { elapsed_ms }) => sum + elapsed_ms, 0), 1);
  let start = 0;
  return attempts.map(({ elapsed_ms }) => {
    const bar = { left: (start / all) * 100, width: Math.max(1, (elapsed_ms / all) * 100) };
    start += elapsed_ms;
    return bar;
  });
}
