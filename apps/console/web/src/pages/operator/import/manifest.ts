import type { Schema } from "@/api/client";

type Result = Schema<"ImportResult">;
type Fault = Schema<"CatalogueFault">;

/** The maximum size of a manifest in bytes. */
export const maxBytes = 512 * 1024;

/** A line of the manifest. Lines are counted from 1. */
export interface Line {
  number: number;
  text: string;
}

/** A fault with the lines around it. A fault that belongs to no line has none. */
export interface ShownFault {
  fault: Fault;
  lines: Line[];
}

/** Returns the faults ordered by line, each with up to four lines of the manifest around it. */
export function shownFaults(faults: readonly Fault[], manifest: string): ShownFault[] {
  const lines = manifest.split("\n");
  return faults
    .toSorted((a, b) => a.line - b.line)
    .map((fault) => {
      if (fault.line < 1 || fault.line > lines.length) return { fault, lines: [] };
      const first = Math.max(1, fault.line - 2);
      return { fault, lines: lines.slice(first - 1, Math.min(lines.length, fault.line + 1)).map((text, i) => ({ number: first + i, text: text.replace(/\r$/, "") })) };
    });
}

/** Summarizes an import, such as "3 created, 1 changed". */
export function summaryOf(result: Result): string {
  const created = result.deeds.filter(({ action }) => action === "created").length;
  const changed = result.deeds.length - created;
  const rest = result.changes - result.deeds.length;
  const parts = [created > 0 && `${created} created`, changed > 0 && `${changed} changed`, rest > 0 && `${rest} more`].filter(Boolean);
  return parts.join(", ") || "nothing to do";
}

/** Returns the index of the first character of a line. Lines are counted from 1. */
export function startOf(manifest: string, line: number): number {
  let at = 0;
  for (let i = 1; i < line; i++) {
    const next = manifest.indexOf("\n", at);
    if (next < 0) return at;
    at = next + 1;
  }
  return at;
}
