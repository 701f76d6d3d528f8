import type { Schema } from "@/api/client";
import { shortUsd } from "@/format/money";
import { showDate } from "@/format/time";

const day = 86_400_000;

/** The number of days beyond which no date is shown, because the forecast is not that precise. */
const years = 730;

/** Describes when the quota runs out at the recent rate of spending. */
export function runsOut({ daily_spend, runs_out_at }: Schema<"Forecast">, now: number): string {
  const rate = `${shortUsd(daily_spend)} a day of late`;
  if (runs_out_at === null) return /^[0.]+$/.test(daily_spend) ? "Nothing was spent of late." : `${rate}: it lasts.`;
  const left = Date.parse(runs_out_at) - now;
  if (left <= 0) return "It is used up: calls are refused until there is more.";
  if (left < day) return `${rate}: it runs out within a day.`;
  const days = Math.floor(left / day);
  if (days > years) return `${rate}: it lasts for years.`;
  return `${rate}: it runs out on ${showDate(runs_out_at)}, in ${days === 1 ? "a day" : `${days.toLocaleString("en-US")} days`}.`;
}
