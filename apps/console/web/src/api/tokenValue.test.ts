import { expect, test } from "vitest";

import { isTokenValue } from "./tokenValue";

test("a value of a token is no name, no mask and no id", () => {
  const value = `sk-tg-${"a1B2".repeat(18)}`;
  expect(isTokenValue(value)).toBe(true);
  expect(isTokenValue("sk-1234567890abcdefghij")).toBe(true);
  for (const text of ["sk-tg-abc", "sk-tg-1a2b3c…9xYz", "production-search-backend-of-2026", "sk-team two and three"])
    expect(isTokenValue(text), text).toBe(false);
  expect(isTokenValue("0198c0de-0000-7000-8000-000000000000")).toBe(false);
});
