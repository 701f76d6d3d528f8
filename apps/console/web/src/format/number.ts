const whole = new Intl.NumberFormat("en-US");
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** Formats a count, such as "12,345". */
export const showCount = (n: number) => whole.format(n);

/** Formats a count for tiles and axes, such as "12.3K". */
export const shortCount = (n: number) => (Math.abs(n) < 10_000 ? whole.format(n) : compact.format(n));

/** Formats a duration, such as "250 ms", "1.25 s" or "3 min 20 s". */
export function showMillis(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Formats a size in units of 1,000, such as "1.5 MB". */
export function showBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}

/** Returns a count with its noun, such as "1 token" or "12 tokens". */
export const plural = (n: number, one: string, many = `${one}s`) => `${showCount(n)} ${n === 1 ? one : many}`;
