/** The time spans that the charts offer. */
export const ranges = ["24h", "7d", "30d", "90d"] as const;
export type Range = (typeof ranges)[number];

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
  /** The start of each bucket, including buckets without usage. Days are those of the reader's time zone. */
  starts: string[];
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns the start of the hour of a moment. Hours are UTC hours because usage is added up by them. */
const hourOf = (at: number) => Math.floor(at / hour) * hour;

/**
 * Returns the first hour of a day in the reader's time zone: of the day that has the hour of `at`, or of one that is
 * `offset` days later. Midnight is rounded up to the hour, because an hour belongs to the day on which it begins.
 */
function dayOf(at: number, offset = 0): number {
  const date = new Date(hourOf(at));
  return Math.ceil(new Date(date.getFullYear(), date.getMonth(), date.getDate() + offset).getTime() / hour) * hour;
}

/** Returns the start of the bucket that has a moment, or of one that is `offset` buckets later. */
const startOf = (bucket: Bucket, at: number, offset = 0) =>
  bucket === "hour" ? hourOf(at) + offset * hour : dayOf(at, offset);

/** Returns the starts of the day of `now` and of those that follow, `count` in total. */
export const daysFrom = (now: number, count: number) => Array.from({ length: count }, (_, i) => dayOf(now, i));

/** Returns the buckets of a range that ends now. The last bucket is the current hour or day. */
export function spanOf(range: Range, now: number): Span {
  const { bucket, count } = steps[range];
  const starts = Array.from({ length: count }, (_, i) => iso(startOf(bucket, now, i + 1 - count)));
  return { from: starts[0] ?? iso(now), to: iso(Math.floor(now / 60_000) * 60_000 + 60_000), bucket, count, starts };
}

/** The longest span, in ms, that is divided into hours rather than days: three days, one of which has 25 hours. */
const longestInHours = 3 * day + hour;

/** The longest custom span, in ms. */
export const longestSpan = 366 * day;

/**
 * Returns the buckets of the span between two moments in ms. It begins with the hour of `from`, because usage is added
 * up by the hour, and ends at `now` at the latest. A span of days that begins at a midnight within an hour begins with the
 * next hour, which is the first one of the day.
 */
export function spanBetween(from: number, to: number, now: number): Span {
  const floor = hourOf(from);
  const end = Math.min(Math.max(to, floor + hour), Math.floor(now / 60_000) * 60_000 + 60_000);
  const bucket = end - floor <= longestInHours ? "hour" : "day";
  const width = bucket === "hour" ? hour : day;
  const begin =
    bucket === "day" && from === new Date(from).setHours(0, 0, 0, 0) ? Math.ceil(from / hour) * hour : floor;
  const starts: string[] = [];
  for (let at = startOf(bucket, begin); at < end; at = startOf(bucket, at, 1)) starts.push(iso(at));
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
export function logTimes({ from, to, ended, starts }: Span, start?: string): { from: string; to?: string } {
  const next = start === undefined ? undefined : starts[starts.indexOf(start) + 1];
  const end = next === undefined || next > to ? to : next;
  const begin = start === undefined || start < from ? from : start;
  return ended || (start !== undefined && start !== starts.at(-1)) ? { from: begin, to: end } : { from: begin };
}

/** Returns a function that returns the index of the bucket of the span that has a moment, −1 for none. */
export function bucketsOf({ starts, to }: Pick<Span, "starts" | "to">): (at: string | null) => number {
  const [times, end] = [starts.map((start) => Date.parse(start)), Date.parse(to)];
  return (at) => {
    const time = Date.parse(at ?? "");
    return time < end ? times.findLastIndex((start) => start <= time) : -1;
  };
}
