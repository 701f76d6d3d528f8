/** The position of a bar in the timeline of a call. */
export interface Bar {
  /** Both fields are in percent of the duration of the call. */
  left: number;
  width: number;
}

/** Returns the bar of each attempt. Attempts follow one another without gaps. */
export function barsOf(attempts: { elapsed_ms: number }[], whole: number): Bar[] {
  // Attempts can take longer than the call according to their own clocks; then they define the scale.
  const all = Math.max(
    whole,
    attempts.reduce((sum, { elapsed_ms }) => sum + elapsed_ms, 0),
    1,
  );
  let start = 0;
  return attempts.map(({ elapsed_ms }) => {
    const bar = { left: (start / all) * 100, width: Math.max(1, (elapsed_ms / all) * 100) };
    start += elapsed_ms;
    return bar;
  });
}
