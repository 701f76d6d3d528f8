import { expect, it } from "vitest";

import { plural, shortCount, showBytes, showMillis } from "./number";
import { showAgo } from "./time";

it.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1250, "1.25 s"],
  [59_960, "1 min 0 s"],
  [119_600, "2 min 0 s"],
  [59_940, "59.9 s"],
  [200_000, "3 min 20 s"],
])("%d ms is shown as %s", (ms, shown) => expect(showMillis(ms)).toBe(shown));

it.each([
  [512, "512 B"],
  [1500, "1.5 KB"],
  [2_500_000_000, "2.5 GB"],
])("%d bytes are shown as %s", (bytes, shown) => expect(showBytes(bytes)).toBe(shown));

it.each([
  [9999, "9,999"],
  [12_345, "12.3K"],
  [4_200_000, "4.2M"],
])("%d is shown as %s", (n, shown) => expect(shortCount(n)).toBe(shown));

it("plural uses the singular only for one", () => {
  expect(plural(1, "token")).toBe("1 token");
  expect(plural(0, "token")).toBe("0 tokens");
});

const now = Date.parse("2026-01-10T12:00:00Z");

it.each([
  ["2026-01-10T11:59:55Z", "just now"],
  ["2026-01-10T11:58:00Z", "2 minutes ago"],
  ["2026-01-10T11:59:00.4Z", "1 minute ago"],
  ["2026-01-10T11:00:20Z", "1 hour ago"],
  ["2026-01-11T11:50:00Z", "tomorrow"],
  ["2026-01-10T15:00:00Z", "in 3 hours"],
  ["2026-01-09T12:00:00Z", "yesterday"],
])("%s is shown as %s", (iso, shown) => expect(showAgo(iso, now)).toBe(shown));
