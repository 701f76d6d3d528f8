import { plural, t } from "@lingui/core/macro";

import type { Span } from "@/components/usage/range";
import { compare } from "@/components/usage/series";
import { showDecimal } from "@/format/number";

interface Wording {
  /** Whether there was any usage in the time before. */
  used: boolean;
  /** Shows an amount. */
  show: (amount: bigint) => string;
}

/** The multiple from which on the amount of the time before says more. */
const hardlyAny = 100;

/**
 * Says how an amount compares with that of the time of the same length before, such as "$12.00 (25%) more than in the
 * previous 30 days".
 */
export function changeText(
  { bucket, count }: Pick<Span, "bucket" | "count">,
  now: bigint,
  then: bigint,
  { used, show }: Wording,
): string {
  const found = compare(now, then);
  const hours = bucket === "hour";
  if (found.is === "first" && used)
    return hours
      ? t`None in the previous ${plural(count, { one: "# hour", other: "# hours" })}`
      : t`None in the previous ${plural(count, { one: "# day", other: "# days" })}`;
  if (found.is === "first")
    return hours
      ? t`No usage in the previous ${plural(count, { one: "# hour", other: "# hours" })}`
      : t`No usage in the previous ${plural(count, { one: "# day", other: "# days" })}`;
  if (found.is === "same")
    return hours
      ? t`As much as in the previous ${plural(count, { one: "# hour", other: "# hours" })}`
      : t`As much as in the previous ${plural(count, { one: "# day", other: "# days" })}`;
  if (found.is === "multiple" && found.times >= hardlyAny) {
    const before = show(then);
    return hours
      ? t`${before} in the previous ${plural(count, { one: "# hour", other: "# hours" })}`
      : t`${before} in the previous ${plural(count, { one: "# day", other: "# days" })}`;
  }
  if (found.is === "multiple") {
    const times = showDecimal(found.times, found.times < 10 && !Number.isInteger(found.times) ? 1 : 0);
    return hours
      ? t`${times} times the previous ${plural(count, { one: "# hour", other: "# hours" })}`
      : t`${times} times the previous ${plural(count, { one: "# day", other: "# days" })}`;
  }
  const [by, share] = [show(found.by), found.share];
  if (found.is === "more")
    return hours
      ? t`${by} (${share}) more than in the previous ${plural(count, { one: "# hour", other: "# hours" })}`
      : t`${by} (${share}) more than in the previous ${plural(count, { one: "# day", other: "# days" })}`;
  return hours
    ? t`${by} (${share}) less than in the previous ${plural(count, { one: "# hour", other: "# hours" })}`
    : t`${by} (${share}) less than in the previous ${plural(count, { one: "# day", other: "# days" })}`;
}
