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

export const movementKinds = [
  { value: "grant", label: "Grant", act: "Grant", meaning: "Adds to what the tenant may spend." },
  { value: "adjustment", label: "Adjust", act: "Adjust", meaning: "Corrects what was granted, up or down. What is used already cannot be taken back." },
  { value: "transfer", label: "Transfer", act: "Transfer", meaning: "Moves what one tenant has left to another." },
] as const;

const chosen = (id: string) => (id ? null : "Choose a tenant.");

function amountOf(text: string, { kind }: Movement): string | null {
  const size = kind === "adjustment" ? text.trim().replace(/^-/, "") : text;
  const fault = amountFault(size, true);
  return fault ?? (/[1-9]/.test(size) ? null : "More than nothing.");
}

/** Validates the fields of a movement. Each validator returns null for a valid value. */
export const movementFaults = {
  tenant_id: chosen,
  to_tenant_id: (id: string, { kind, tenant_id }: Movement) => {
    if (kind !== "transfer") return null;
    return id && id === tenant_id ? "Choose another tenant." : chosen(id);
  },
  amount: amountOf,
  reason: (reason: string) => (reason.trim() ? null : "Say why."),
};
