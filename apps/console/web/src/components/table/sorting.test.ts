import { expect, it } from "vitest";

import { compareValues } from "./sorting";

it.each([
  ["numbers by size", [10, 9, -1], [-1, 9, 10]],
  ["amounts by size, exactly", [10n ** 20n + 1n, 10n ** 20n, 2n], [2n, 10n ** 20n, 10n ** 20n + 1n]],
  ["texts with numbers", ["ci-10", "ci-9", "Alpha"], ["Alpha", "ci-9", "ci-10"]],
  ["texts without regard to case", ["b", "A", "C"], ["A", "b", "C"]],
  ["times", ["2026-02-01T00:00:00Z", "2025-12-31T23:59:59Z"], ["2025-12-31T23:59:59Z", "2026-02-01T00:00:00Z"]],
  [
    "times within one second",
    ["2026-02-01T00:00:12.5Z", "2026-02-01T00:00:12.45Z", "2026-02-01T00:00:12.123456Z", "2026-02-01T00:00:12Z"],
    ["2026-02-01T00:00:12Z", "2026-02-01T00:00:12.123456Z", "2026-02-01T00:00:12.45Z", "2026-02-01T00:00:12.5Z"],
  ],
])("sorts %s", (_, values, sorted) => expect(values.toSorted(compareValues)).toEqual(sorted));
