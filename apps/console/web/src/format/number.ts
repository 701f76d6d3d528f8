import { t } from "@lingui/core/macro";

import { perLanguage } from "./locale";

const whole = perLanguage("number", (tag) => new Intl.NumberFormat(tag));
const compact = perLanguage(
  "number",
  (tag) => new Intl.NumberFormat(tag, { notation: "compact", maximumFractionDigits: 1 }),
);
const places = [0, 1, 2].map((digits) =>
  perLanguage(
    "number",
    (tag) => new Intl.NumberFormat(tag, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  ),
);
const ratio = perLanguage(
  "number",
  (tag) => new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 1 }),
);

/** Formats a count, such as "12,345". */
export const showCount = (n: number) => whole().format(n);

/** Formats a count for tiles and axes, such as "12.3K" or "1.2万". */
export const shortCount = (n: number) => (Math.abs(n) < 10_000 ? whole() : compact()).format(n);

/** Formats a number with exactly 0, 1 or 2 decimals. */
export const showDecimal = (n: number, digits: 0 | 1 | 2) => (places[digits] ?? whole)().format(n);

/** Formats a ratio in percent with at most one decimal: 0.125 is shown as "12.5%". */
export const showPercent = (n: number) => ratio().format(n);

/** Formats a duration, such as "250 ms", "1.25 s" or "3 min 20 s". */
export function showMillis(ms: number): string {
  if (ms < 1000) {
    const millis = Math.round(ms);
    return t({ message: `${millis} ms`, comment: "A duration in milliseconds" });
  }
  if (ms < 59_950) {
    const seconds = showDecimal(ms / 1000, ms < 10_000 ? 2 : 1);
    return t({ message: `${seconds} s`, comment: "A duration in seconds" });
  }
  const rounded = Math.round(ms / 1000);
  const minutes = Math.floor(rounded / 60);
  const seconds = rounded % 60;
  return t({ message: `${minutes} min ${seconds} s`, comment: "A duration in minutes and seconds" });
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
  return `${showDecimal(size, unit === 0 ? 0 : 1)} ${units[unit]}`;
}

/**
 * Returns a count with its noun, such as "1 token" or "12 tokens". Only for folders that have no messages yet: they use
 * the macro `plural`.
 */
export const plural = (n: number, one: string, many = `${one}s`) => `${showCount(n)} ${n === 1 ? one : many}`;
