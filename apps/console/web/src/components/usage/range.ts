/** The time spans that the charts offer. */
export const ranges = ["24h", "7d", "30d", "90d"] as const;
export type Range = (typeof ranges)[number];

export const rangeNames: Record<Range, string> = { "24h": "24 hours", "7d": "7 days", "30d": "30 days", "90d": "90 days" };

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
  return { from: starts[0] ?? iso(last), to: iso(Math.floor(now / 60_000) * 60_000 + 60_000), bucket, starts };
}

/** Returns the period of the same length immediately before a span. */
export function before({ from, to }: Pick<Span, "from" | "to">): { from: string; to: string } {
  const length = Date.parse(to) - Date.parse(from);
  return { from: iso(Date.parse(from) - length), to: from };
}

const hourLabel = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const dayLabel = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const hourTitle = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const dayTitle = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** Returns the label of a bucket under the axis. */
export const tickOf = (start: string, bucket: Bucket) => (bucket === "hour" ? hourLabel : dayLabel).format(new Date(start));

/** Returns the full name of a bucket, for tooltips and tables. */
export const titleOf = (start: string, bucket: Bucket) => (bucket === "hour" ? hourTitle.format(new Date(start)) : `${dayTitle.format(new Date(start))}, UTC`);
