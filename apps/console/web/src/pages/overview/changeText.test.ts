import { expect, it } from "vitest";

import { shortUsd } from "@/format/money";

import { changeText } from "./changeText";

const usd = 1_000_000_000n;
const month = { bucket: "day", count: 30 } as const;

it.each([
  [month, 62n * usd, 50n * usd, true, "$12.00 (24%) more than in the previous 30 days"],
  [month, 49n * usd, 50n * usd, true, "$1.00 (2.0%) less than in the previous 30 days"],
  [month, 425n * usd, 50n * usd, true, "8.5 times the previous 30 days"],
  [month, 1100n * usd, 50n * usd, true, "22 times the previous 30 days"],
  [month, 5000n * usd, 50n * usd, true, "$50.00 in the previous 30 days"],
  [month, 50n * usd, 50n * usd, true, "As much as in the previous 30 days"],
  [month, 50n * usd, 0n, false, "No usage in the previous 30 days"],
  [month, 50n * usd, 0n, true, "None in the previous 30 days"],
  [{ bucket: "hour", count: 24 } as const, 0n, usd, true, "$1.00 (100%) less than in the previous 24 hours"],
  [{ bucket: "day", count: 1 } as const, 3n * usd, usd, true, "3 times the previous 1 day"],
])("%j: %d after %d", (span, now, then, used, text) =>
  expect(changeText(span, now, then, { used, show: shortUsd })).toBe(text),
);
