import { t } from "@lingui/core/macro";

import type { Schema } from "@/api/client";

export type Entry = Schema<"AuditEntry">;
export type Action = Entry["action"];

/** The actor and the resource of an entry, as its sentence names them. */
export interface Subject {
  actor: string;
  /** The name of the resource; a part of its id if it has none, such as after it was deleted. */
  name: string;
  entry: Entry;
}

const isId = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Returns the name of what an entry mentions by its id. */
export const named = ({ names }: Pick<Entry, "names">, id: string) => names[id] ?? (isId(id) ? id.slice(-8) : id);

/** Returns a field of the detail as text; "" if it has none. */
export function textAt({ detail }: Pick<Entry, "detail">, field: string): string {
  const value = detail[field];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Returns a field of the detail as a number; 0 if it has none. */
export const numberAt = (entry: Pick<Entry, "detail">, field: string) => Number(textAt(entry, field)) || 0;

/** Returns the actor and the resource of an entry. An event without an actor has nobody who is known. */
export function subjectOf(entry: Entry): Subject {
  const own = entry.names[entry.target] ?? (textAt(entry, "name") || textAt(entry, "email"));
  return { actor: entry.actor || t`Someone`, name: own || named(entry, entry.target), entry };
}
