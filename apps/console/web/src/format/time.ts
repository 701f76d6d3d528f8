import { t } from "@lingui/core/macro";

import { perLanguage } from "./locale";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** The units of distances, with their seconds and the number from which the next unit is used. */
const units = [
  ["second", 1, 60],
  ["minute", minute, 60],
  ["hour", hour, 24],
  ["day", day, 45],
] as const;

const relative = perLanguage("date", (tag) => new Intl.RelativeTimeFormat(tag, { numeric: "auto" }));
const dateTime = perLanguage(
  "date",
  (tag) => new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "medium" }),
);
const dateOnly = perLanguage("date", (tag) => new Intl.DateTimeFormat(tag, { dateStyle: "medium" }));
const clock = perLanguage(
  "date",
  (tag) =>
    new Intl.DateTimeFormat(tag, {
      day: "2-digit",
      month: "short",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    }),
);

/**
 * Returns the distance to a moment, such as "2 minutes ago" or "in 3 days". Moments 45 days away or more are shown
 * as a date.
 */
export function showAgo(iso: string, now: number = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  if (Math.abs(seconds) < 10) return t`just now`;
  for (const [unit, size, limit] of units) {
    const distance = Math.round(seconds / size);
    if (Math.abs(distance) < limit) return relative().format(distance, unit);
  }
  return dateOnly().format(new Date(iso));
}

/** Formats a moment in the reader's time zone, such as "21 Nov 2026, 19:05:12". */
export const showDateTime = (iso: string) => dateTime().format(new Date(iso));

/** Formats a date in the reader's time zone, such as "21 Nov 2026". */
export const showDate = (iso: string) => dateOnly().format(new Date(iso));

/** Formats a moment for rows of logs, such as "21 Nov, 19:05:12". */
export const showClock = (iso: string) => clock().format(new Date(iso));

/** Returns the name of the reader's time zone, such as "Europe/Berlin". */
