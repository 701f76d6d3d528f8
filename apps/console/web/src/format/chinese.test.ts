import { i18n } from "@lingui/core";
import { afterAll, beforeAll, expect, it } from "vitest";

import { percent, shortUsd, showUsd } from "./money";
import { shortCount, showBytes, showCount } from "./number";
import { showAgo, showDate } from "./time";

beforeAll(() => {
  i18n.load("zh-Hans", {});
  i18n.activate("zh-Hans");
});

afterAll(() => i18n.activate("en"));

it("numbers follow the language", () => {
  expect(showCount(1_234_567)).toBe("1,234,567");
  expect(shortCount(12_345)).toBe("1.2万");
  expect(showBytes(1500)).toBe("1.5 KB");
});

it("money stays exact, with the sign of the dollar", () => {
  expect(showUsd("123456789.000000001")).toBe("$123,456,789.000000001");
  expect(showUsd("-0.1")).toBe("−$0.10");
  expect(shortUsd("0.01234567")).toBe("$0.0123");
  expect(percent(1n, 8n)).toBe("12.5%");
});

it("dates and distances follow the language", () => {
  const now = Date.parse("2026-01-10T12:00:00Z");
  expect(showAgo("2026-01-10T11:58:00Z", now)).toBe("2分钟前");
  expect(showAgo("2026-01-09T12:00:00Z", now)).toBe("昨天");
  expect(showDate("2026-11-21T12:00:00Z")).toBe("2026年11月21日");
});
