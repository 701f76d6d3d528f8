import { expect, it } from "vitest";

import { emptyMovement, keyed, type Movement, movementFaults } from "./movement";

const movement = (values: Partial<Movement>): Movement => ({ ...emptyMovement, ...values });

it.each([
  ["grant", "10", true],
  ["grant", "-10", false],
  ["grant", "0.00", false],
  ["grant", "", false],
  ["adjustment", "-10.5", true],
  ["adjustment", "--1", false],
  ["adjustment", "-0", false],
  ["transfer", "1e3", false],
] as const)("%s of %j is valid: %s", (kind, amount, good) => {
  expect(movementFaults.amount(amount, movement({ kind })) === null).toBe(good);
});

it("a transfer needs two tenants", () => {
  const from = movement({ kind: "transfer", tenant_id: "a" });
  expect(movementFaults.to_tenant_id("", from)).not.toBeNull();
  expect(movementFaults.to_tenant_id("a", from)).not.toBeNull();
  expect(movementFaults.to_tenant_id("b", from)).toBeNull();
  expect(movementFaults.to_tenant_id("", movement({ kind: "grant" }))).toBeNull();
});

it("only an unchanged movement keeps its idempotency key", () => {
  const first = keyed(movement({ amount: "10" }), undefined);
  expect(keyed(movement({ amount: "10" }), first)).toBe(first);
  expect(keyed(movement({ amount: "100" }), first).key).not.toBe(first.key);
});
