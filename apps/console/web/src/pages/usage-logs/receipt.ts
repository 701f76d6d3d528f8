import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { showCount } from "@/format/number";

/** An exact decimal: digits / 10^scale. */
interface Decimal {
  digits: bigint;
  scale: number;
}

function parse(text: string): Decimal {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!match) throw new RangeError(`not a decimal: ${text}`);
  const [, sign = "", whole = "0", fraction = ""] = match;
  return { digits: BigInt(sign + whole + fraction), scale: fraction.length };
}

function print({ digits, scale }: Decimal): string {
  const size = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = size.slice(0, size.length - scale);
  const fraction = size.slice(size.length - scale).replace(/0+$/, "");
  return `${digits < 0n ? "-" : ""}${whole}${fraction && `.${fraction}`}`;
}

/** Returns the exact product of two decimals. */
export function multiply(a: string, b: string): string {
  const [x, y] = [parse(a), parse(b)];
  return print({ digits: x.digits * y.digits, scale: x.scale + y.scale });
}

/** Rounds a non-negative decimal half up to a nano-dollar. */
export function roundToNano(text: string): string {
  const { digits, scale } = parse(text);
  if (scale <= 9) return print({ digits, scale });
  const unit = 10n ** BigInt(scale - 9);
  return print({ digits: (digits + unit / 2n) / unit, scale: 9 });
}

/** Reports whether two decimals are equal, ignoring trailing zeros. */
export const same = (a: string, b: string) => print(parse(a)) === print(parse(b));

/** Formats an amount of USD with all its decimals, which can be more than nine. */
export function showExact(text: string): string {
  const [whole = "0", fraction = ""] = print(parse(text)).split(".");
  return `$${whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",")}.${fraction.padEnd(2, "0")}`;
}

type Detail = Pick<Schema<"UsageLogDetail">, "attempts" | "supplier_receipt">;

/**
 * Returns what suppliers charge besides the lines of the supplier's receipt: for each failed attempt that is charged,
 * and the amount that the upstream itself states for its answer. Each name is unique.
 */
export const chargesOf = ({ attempts, supplier_receipt }: Detail): { name: string; amount: string }[] =>
  attempts.flatMap(({ channel, served, supplier_cost }, i) => {
    if (supplier_cost === undefined || (served && supplier_receipt)) return [];
    const [number, name] = [showCount(i + 1), channel || t`Deleted channel`];
    return [
      {
        name: served ? t`${number}. ${name}, as reported by the upstream` : t`${number}. ${name}, failed`,
        amount: supplier_cost,
      },
    ];
  });
