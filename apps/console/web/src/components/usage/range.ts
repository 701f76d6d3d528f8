import { t } from "@lingui/core/macro";

import { perLanguage } from "@/format/locale";

/** The time spans that the charts offer. */
export const ranges = ["24h", "7d", "30d", "90d"] as const;
export type Range = (typeof ranges)[number];

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

export type Bucket = "hour" | "day";

const hour = 3_600_000;
const day = 24 * hour;
const steps: Record<Range, { bucket: Bucket; count: number }> = {
  "24h": { bucket: "hour", count: 24 },
  "7d": { bucket: "day", count: 7 },
  "30d": { bucket: "day", count: 30 },
  "90d": { bucket: "day", count: 90 },
};

/** A time span that is divided into buckets. */
export interface Span {
  /** The inclusive start. */
  from: string;
  /**
   * The exclusive end: the end of the current minute. Because of the rounding, all reads within a minute share one
   * cached query.
   */
  to: string;
  bucket: Bucket;
  /** The length in buckets, rounded. */
  count: number;
  /** Whether the span ended in the past, so that no more usage belongs to it. */
  ended?: boolean;
  /** The start of each bucket, including buckets without usage. Days are UTC days because the rollups use UTC days. */
  starts: string[];
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns the buckets of a range that ends now. The last bucket is the current hour or day. */
export function spanOf(range: Range, now: number): Span {
  const { bucket, count } = steps[range];
  const width = bucket === "hour" ? hour : day;
  const last = Math.floor(now / width) * width;
  const starts = Array.from({ length: count }, (_, i) => iso(last - (count - 1 - i) * width));
  return { from: starts[0] ?? iso(last), to: iso(Math.floor(now / 60_000) * 60_000 + 60_000), bucket, count, starts };
}

/** The longest span, in ms, that is divided into hours rather than days. */
const longestInHours = 3 * day;

/** The longest custom span, in ms. */
export const longestSpan = 366 * day;

/**
 * Returns the buckets of the span between two moments in ms. It begins with the hour of `from`, because usage is added
 * up by the hour, and ends at `now` at the latest. Days are UTC days.
 */
export function spanBetween(from: number, to: number, now: number): Span {
  const begin = Math.floor(from / hour) * hour;
  const end = Math.min(Math.max(to, begin + hour), Math.floor(now / 60_000) * 60_000 + 60_000);
  const bucket = end - begin <= longestInHours ? "hour" : "day";
  const width = bucket === "hour" ? hour : day;
  const starts: string[] = [];
  for (let at = Math.floor(begin / width) * width; at < end; at += width) starts.push(iso(at));
  return {
    from: iso(begin),
    to: iso(end),
    bucket,
    count: Math.max(1, Math.round((end - begin) / width)),
    ended: to <= now,
    starts,
  };
}

/** Returns the times of the usage logs of a span, or of one of its buckets. A time that continues has no end. */
export function logTimes({ from, to, bucket, ended, starts }: Span, start?: string): { from: string; to?: string } {
  const end =
    start === undefined ? to : iso(Math.min(Date.parse(start) + (bucket === "hour" ? hour : day), Date.parse(to)));
  const begin = start === undefined || start < from ? from : start;
  return ended || (start !== undefined && start !== starts.at(-1)) ? { from: begin, to: end } : { from: begin };
}

/** Returns the name of the span between two moments in the reader's time zone. */
export const betweenName = (from: string, to: string) =>
  `${hourTitle().format(new Date(from))} – ${hourTitle().format(new Date(to))}`;

const hourLabel = perLanguage("date", (tag) => new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit" }));
const dayLabel = perLanguage(
  "date",
  (tag) => new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", timeZone: "UTC" }),
);
const hourTitle = perLanguage(
  "date",
  (tag) => new Intl.DateTimeFormat(tag, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }),
);
const dayTitle = perLanguage(
  "date",
  (tag) =>
    new Intl.DateTimeFormat(tag, {
      weekday: "short",
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    }),
);

/** Returns the label of a bucket under the axis. */
export const tickOf = (start: string, bucket: Bucket) =>
  (bucket === "hour" ? hourLabel : dayLabel)().format(new Date(start));

/** Returns the full name of a bucket, for tooltips and tables. */
export const titleOf = (start: string, bucket: Bucket) =>
  bucket === "hour" ? hourTitle().format(new Date(start)) : `${dayTitle().format(new Date(start))}, UTC`;
