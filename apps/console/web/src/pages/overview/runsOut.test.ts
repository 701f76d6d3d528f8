import { expect, it } from "vitest";

import { runsOut } from "./runsOut";

const now = Date.parse("2026-01-10T12:00:00Z");

it.each([
  ["0", null, "No recent spending."],
  ["1.5", null, "At about $1.50/day, it does not run out."],
  ["1.5", "2026-01-10T11:00:00Z", "Used up. Requests are refused until more quota is granted."],
  ["1.5", "2026-01-10T20:00:00Z", "At about $1.50/day, runs out within a day."],
  ["1.5", "2026-01-20T13:00:00Z", "At about $1.50/day, lasts until 20 Jan 2026 (10 days)."],
  ["1.5", "2050-02-18T12:00:00Z", "At about $1.50/day, lasts for years."],
])("%s a day until %s", (daily_spend, runs_out_at, text) =>
  expect(runsOut({ daily_spend, runs_out_at }, now)).toBe(text),
);
