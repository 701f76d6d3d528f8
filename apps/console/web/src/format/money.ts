import { perLanguage } from "./locale";
import { showPercent } from "./number";

/**
 * An amount of money in nano-dollars. Money is transferred as decimal strings of USD and calculated as bigint, never
 * as number, which would round it.
 */
export type Nano = bigint;

const NANO = 1_000_000_000n;

/** Parses a decimal of USD such as "-1.5" into nano-dollars. Throws a RangeError for any other text. */
export function parseUsd(text: string): Nano {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text);
  if (!match) throw new RangeError(`not an amount of USD: ${text}`);
  const [, sign, whole = "0", fraction = ""] = match;
  const nano = BigInt(whole) * NANO + BigInt(fraction.padEnd(9, "0"));
  return sign ? -nano : nano;
}

/** Returns the exact decimal of USD without trailing zeros. */
export function decimalUsd(nano: Nano): string {
  const size = nano < 0n ? -nano : nano;
  const fraction = (size % NANO).toString().padStart(9, "0").replace(/0+$/, "");
  return `${nano < 0n ? "-" : ""}${size / NANO}${fraction && `.${fraction}`}`;
}

// The formatters of dollars with 0 to 9 decimals. They take decimal strings, which keep all digits.
const dollars = Array.from({ length: 10 }, (_, digits) =>
  perLanguage(
    "number",
    (tag) =>
      new Intl.NumberFormat(tag, {
        style: "currency",
        currency: "USD",
        currencyDisplay: "narrowSymbol",
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  ),
);

/**
 * Formats an amount for display, such as "$1,234.50". Amounts below a cent keep as many decimals as they need, at
 * most nine, so that no cost is shown as zero. `places` instead rounds half up to that number of decimals.
 */
export function showUsd(amount: string | Nano, places?: number): string {
  const nano = typeof amount === "bigint" ? amount : parseUsd(amount);
  const size = nano < 0n ? -nano : nano;
  const sign = nano < 0n ? "−" : "";
  const decimal = decimalUsd(places === undefined ? size : round(size, places));
  const digits = places ?? Math.max(2, decimal.split(".")[1]?.length ?? 0);
  return `${sign}${dollars[digits]?.().format(decimal as `${number}`)}`;
}

/** Formats an exact decimal with any number of decimals, such as "$0.1275". */
export function showExact(decimal: string): string {
  const [, fraction = ""] = decimal.split(".");
  return fraction.length <= 9 ? showUsd(decimal) : `$${decimal}`;
}

/** Formats a short amount for tiles and axes: two decimals from one dollar, four decimals below. */
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

/** Returns the sum of decimals of USD. */
export function sumUsd(amounts: Iterable<string>): Nano {
  let sum = 0n;
  for (const amount of amounts) sum += parseUsd(amount);
  return sum;
}

/** Returns `part` of `whole` in percent from 0 to 100, to draw bars and charts. The result is not exact. */
export function share(part: Nano, whole: Nano): number {
  if (whole <= 0n) return part > 0n ? 100 : 0;
  const permyriad = Number((part * 10_000n) / whole) / 100;
  return Math.min(100, Math.max(0, permyriad));
}

/**
 * Converts an amount to dollars as a number for the height of a bar. The number is not exact: do not calculate with
 * it.
 */
export function plotUsd(amount: string | Nano): number {
  return Number(typeof amount === "bigint" ? amount : parseUsd(amount)) / 1e9;
}

/**
 * Returns a part of an amount in percent with at most one decimal, such as "12.5%" or "−4%"; undefined if the whole is
 * zero.
 */
export function percent(part: Nano, whole: Nano): string | undefined {
  if (whole <= 0n) return undefined;
  const size = part < 0n ? -part : part;
  const permille = Number((size * 1000n + whole / 2n) / whole);
  return `${part < 0n && permille > 0 ? "−" : ""}${showPercent(permille / 1000)}`;
}
