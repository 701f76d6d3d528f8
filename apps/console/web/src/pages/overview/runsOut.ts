import { plural, t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { shortUsd } from "@/format/money";
import { showDate } from "@/format/time";

const day = 86_400_000;

/** The number of days beyond which no date is shown, because the forecast is not that precise. */
const years = 730;

/** Describes when the quota runs out at the recent rate of spending. */
export function runsOut({ daily_spend, runs_out_at }: Schema<"Forecast">, now: number): string {
  const rate = shortUsd(daily_spend);
  if (runs_out_at === null)
    return /^[0.]+$/.test(daily_spend) ? t`No recent spending.` : t`At about ${rate}/day, it does not run out.`;
  const left = Date.parse(runs_out_at) - now;
  if (left <= 0) return t`Used up. Requests are refused until more quota is granted.`;
  if (left < day) return t`At about ${rate}/day, runs out within a day.`;
  const days = Math.floor(left / day);
  if (days > years) return t`At about ${rate}/day, lasts for years.`;
  const date = showDate(runs_out_at);
  return t`At about ${rate}/day, lasts until ${date} (${plural(days, { one: "# day", other: "# days" })}).`;
}
