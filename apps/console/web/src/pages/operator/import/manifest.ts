import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";
import { showCount } from "@/format/number";
import { listed } from "@/pages/operator/catalog/labels";

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
      return {
        fault,
        lines: lines
          .slice(first - 1, Math.min(lines.length, fault.line + 1))
          .map((text, i) => ({ number: first + i, text: text.replace(/\r$/, "") })),
      };
    });
}

/** Summarizes an import, such as "3 created, 1 changed". */
export function summaryOf(result: Result): string {
  const creations = result.deeds.filter(({ action }) => action === "created").length;
  const created = showCount(creations);
  const changed = showCount(result.deeds.length - creations);
  const more = showCount(result.changes - result.deeds.length);
  const parts = [
    ...(creations > 0 ? [t`${created} created`] : []),
    ...(result.deeds.length > creations ? [t`${changed} changed`] : []),
    ...(result.changes > result.deeds.length ? [t`${more} more`] : []),
  ];
  return listed(parts) || t`no changes`;
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
