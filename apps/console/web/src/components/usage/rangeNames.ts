import { t } from "@lingui/core/macro";

import { perLanguage } from "@/format/locale";

import type { Bucket, Range } from "./range";

export const rangeNames: Record<Range, string> = {
  get "24h"() {
    return t`24 hours`;
  },
  get "7d"() {
    return t`7 days`;
  },
  get "30d"() {
    return t`30 days`;
  },
  get "90d"() {
    return t`90 days`;
  },
};

/** Returns the name of the span between two moments in the reader's time zone. */
export const betweenName = (from: string, to: string) =>
  `${hourTitle().format(new Date(from))} – ${hourTitle().format(new Date(to))}`;

const hourLabel = perLanguage("date", (tag) => new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit" }));
const dayLabel = perLanguage("date", (tag) => new Intl.DateTimeFormat(tag, { day: "numeric", month: "short" }));
const hourTitle = perLanguage(
  "date",
  (tag) => new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }),
);
const dayTitle = perLanguage(
  "date",
  (tag) => new Intl.DateTimeFormat(tag, { weekday: "short", day: "numeric", month: "short", year: "numeric" }),
);

/** Returns the label of a bucket under the axis. */
export const tickOf = (start: string, bucket: Bucket) =>
  (bucket === "hour" ? hourLabel : dayLabel)().format(new Date(start));

/** Returns the full name of a bucket, for tooltips and tables. */
export const titleOf = (start: string, bucket: Bucket) =>
  (bucket === "hour" ? hourTitle : dayTitle)().format(new Date(start));
