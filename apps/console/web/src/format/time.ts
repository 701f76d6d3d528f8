import { t } from "@lingui/core/macro";

import { perLanguage } from "./locale";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

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
 * Returns the distance to a moment, such as "2 minutes ago" or "in 3 days". Moments more than 45 days away are shown
 * as a date.
 */
export function showAgo(iso: string, now: number = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const size = Math.abs(seconds);
  if (size < 10) return t`just now`;
  if (size < minute) return relative().format(Math.round(seconds), "second");
  if (size < hour) return relative().format(Math.round(seconds / minute), "minute");
  if (size < day) return relative().format(Math.round(seconds / hour), "hour");
  if (size < 45 * day) return relative().format(Math.round(seconds / day), "day");
  return dateOnly().format(new Date(iso));
}

/** Formats a moment in the reader's time zone, such as "21 Nov 2026, 19:05:12". */
export const showDateTime = (iso: string) => dateTime().format(new Date(iso));

/** Formats a date in the reader's time zone, such as "21 Nov 2026". */
export const showDate = (iso: string) => dateOnly().format(new Date(iso));

/** Formats a moment for rows of logs, such as "21 Nov, 19:05:12". */
export const showClock = (iso: string) => clock().format(new Date(iso));

/** Returns the name of the reader's time zone, such as "Europe/Berlin". */
