import { t } from "@lingui/core/macro";

import { newId } from "@/api/newId";
import { amountFault } from "@/components/form";

/** The values of the form that grants, adjusts or transfers quota. Only transfers use `to_tenant_id`. */
export interface Movement {
  kind: "grant" | "adjustment" | "transfer";
  tenant_id: string;
  to_tenant_id: string;
  amount: string;
  reason: string;
}

export const emptyMovement: Movement = { kind: "grant", tenant_id: "", to_tenant_id: "", amount: "", reason: "" };

/** Returns the kinds of movements. The label is also that of the button. */
export const movementKinds = () => [
  { value: "grant", label: t`Grant`, meaning: t`Adds to the quota of the tenant.` },
  {
    value: "adjustment",
    label: t`Adjust`,
    meaning: t`Corrects the granted quota, up or down. Used quota can't be taken back.`,
  },
  { value: "transfer", label: t`Transfer`, meaning: t`Moves unused quota of one tenant to another.` },
];

const chosen = (id: string) => (id ? null : t`Choose a tenant.`);

function amountOf(text: string, { kind }: Movement): string | null {
  const size = kind === "adjustment" ? text.trim().replace(/^-/, "") : text;
  const fault = amountFault(size, true);
  return fault ?? (/[1-9]/.test(size) ? null : t`Enter an amount other than zero.`);
}

/** Validates the fields of a movement. Each validator returns null for a valid value. */
export const movementFaults = {
  tenant_id: chosen,
  to_tenant_id: (id: string, { kind, tenant_id }: Movement) => {
    if (kind !== "transfer") return null;
    return id && id === tenant_id ? t`Choose another tenant.` : chosen(id);
  },
  amount: amountOf,
  reason: (reason: string) => (reason.trim() ? null : t`Enter a reason.`),
};

/** The idempotency key of a movement as it was sent. */
export interface SentMovement {
  key: string;
  content: string;
}

/**
 * Returns the movement with its idempotency key. A retry keeps the key of the last request, so that a lost answer does
 * not move the quota twice. A movement that was edited since gets a new key, because the server would answer it with
 * the result of the earlier one.
 */
export function keyed(movement: Movement, sent: SentMovement | undefined): SentMovement {
  const content = JSON.stringify(movement);
  return sent?.content === content ? sent : { key: newId(), content };
}
