import { expect, it } from "vitest";

import { runsOut } from "./runsOut";

const now = Date.parse("2026-01-10T12:00:00Z");

it.each([
  ["0", null, "Nothing was spent of late."],
  ["1.5", null, "$1.50 a day of late: it lasts."],
  ["1.5", "2026-01-10T11:00:00Z", "It is used up: calls are refused until there is more."],
  ["1.5", "2026-01-10T20:00:00Z", "$1.50 a day of late: it runs out within a day."],
  ["1.5", "2026-01-20T13:00:00Z", "$1.50 a day of late: it runs out on 20 Jan 2026, in 10 days."],
  ["1.5", "2050-02-18T12:00:00Z", "$1.50 a day of late: it lasts for years."],
])("%s a day until %s", (daily_spend, runs_out_at, text) => expect(runsOut({ daily_spend, runs_out_at }, now)).toBe(text));
