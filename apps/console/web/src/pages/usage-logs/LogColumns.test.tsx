import { expect, it } from "vitest";

import type { Schema } from "@/api/client";
import type { Identity } from "@/api/session";
import { compareValues } from "@/components/table/sorting";

import { logColumns } from "./LogColumns";

it.each(["quota", "supplier_cost"] as const)("sorts the amounts of %s by size", (id) => {
  const column = logColumns({ user: { role: "operator" } } as Identity).find((one) => one.id === id);
  const amounts = ["0.5", "0.000000012", "0.15", "10", "9"];
  const sorted = amounts.toSorted((a, b) =>
    compareValues(...([a, b].map((amount) => column?.sortBy?.({ [id]: amount } as never)) as [bigint, bigint])),
  );
  expect(sorted).toEqual(["0.000000012", "0.15", "0.5", "9", "10"]);
});

it("has logs without a supplier cost last", () => {
  const column = logColumns({ user: { role: "operator" } } as Identity).find(({ id }) => id === "supplier_cost");
  expect(column?.sortBy?.({} as Schema<"UsageLog">)).toBeUndefined();
});
