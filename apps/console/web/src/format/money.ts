/** Money travels as decimal strings of USD and is added up as a bigint count of nano-dollars: never as a number. */
export type Nano = bigint;

const NANO = 1_000_000_000n;

/** Nano-dollars of a decimal of USD such as "-1.5". Anything else is a RangeError. */
export function parseUsd(text: string): Nano {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) throw new RangeError(`not an amount of USD: ${text}`);
  const [, sign, whole = "0", fraction = ""] = match;
  const nano = BigInt(whole) * NANO + BigInt(fraction.padEnd(9, "0"));
  return sign ? -nano : nano;
}

/** The exact decimal of USD, without trailing zeros. */
export function decimalUsd(nano: Nano): string {
  const size = nano < 0n ? -nano : nano;
  const fraction = (size % NANO).toString().padStart(9, "0").replace(/0+$/, "");
  return `${nano < 0n ? "-" : ""}${size / NANO}${fraction && `.${fraction}`}`;
}

const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/**
 * What people read: "$1,234.50". Amounts below a cent keep as many places as they need, at most nine, so that no
 * cost is shown as zero. `places` rounds to so many instead, half up.
 */
export function showUsd(amount: string | Nano, places?: number): string {
  const nano = typeof amount === "bigint" ? amount : parseUsd(amount);
  const size = nano < 0n ? -nano : nano;
  const sign = nano < 0n ? "−" : "";
  const [whole = "0", fraction = ""] = decimalUsd(places === undefined ? size : round(size, places)).split(".");
  const digits = places === undefined ? fraction.padEnd(2, "0") : fraction.padEnd(places, "0").slice(0, places);
  return `${sign}$${grouped(whole)}${digits && `.${digits}`}`;
}

/** Short, for tiles and axes: cents from a dollar on, four places below. */
export function shortUsd(amount: string | Nano): string {
  const nano = typeof amount === "bigint" ? amount : parseUsd(amount);
  const size = nano < 0n ? -nano : nano;
  if (size === 0n || size >= NANO) return showUsd(nano, 2);
  return size >= NANO / 10_000n ? showUsd(nano, 4) : showUsd(nano);
}

function round(size: Nano, places: number): Nano {
  const unit = 10n ** BigInt(9 - places);
  return ((size + unit / 2n) / unit) * unit;
}

/** Sum of decimals of USD. */
export function sumUsd(amounts: Iterable<string>): Nano {
  let sum = 0n;
  for (const amount of amounts) sum += parseUsd(amount);
  return sum;
}

/** part of whole in percent, for bars and charts alone: 0 to 100. */
export function share(part: Nano, whole: Nano): number {
  if (whole <= 0n) return part > 0n ? 100 : 0;
  const permyriad = Number((part * 10_000n) / whole) / 100;
  return Math.min(100, Math.max(0, permyriad));
}

/** Dollars as a number, for the height of a bar and nothing else. */
export function plotUsd(amount: string | Nano): number {
  return Number(typeof amount === "bigint" ? amount : parseUsd(amount)) / 1e9;
}
