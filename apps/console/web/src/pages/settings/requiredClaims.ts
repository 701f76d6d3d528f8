import type { Schema } from "@/api/client";

type RequiredClaim = Schema<"RequiredClaim">;

/** Returns the required claims as texts such as "hd=acme.example", one for each value. */
export const entriesOf = (required: readonly RequiredClaim[]): string[] =>
  required.flatMap(({ claim, values }) => values.map((value) => `${claim}=${value}`));

/** Reports whether the text has the form claim=value. */
export const isEntry = (text: string): boolean => /^[^=]+=./.test(text);

/** Returns the required claims that the texts state: a claim with several values must have one of them. */
export function requiredOf(entries: readonly string[]): RequiredClaim[] {
  const values = new Map<string, string[]>();
  for (const entry of entries) {
    const at = entry.indexOf("=");
    const claim = entry.slice(0, at).trim();
    values.set(claim, [...(values.get(claim) ?? []), entry.slice(at + 1).trim()]);
  }
  return [...values].map(([claim, all]) => ({ claim, values: all }));
}
