import { afterEach, expect, it, vi } from "vitest";

import { timeZone } from "./timeZone";

afterEach(() => vi.restoreAllMocks());

it.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["Etc/Unknown", "UTC"],
  [undefined, "UTC"],
])("a browser in the zone %s counts days in %s", (name, want) => {
  vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions").mockReturnValue({
    timeZone: name,
  } as Intl.ResolvedDateTimeFormatOptions);
  expect(timeZone()).toBe(want);
});
