import { t } from "@lingui/core/macro";

/**
 * These functions read JSON of unknown shape. A value of another type is treated as absent: `record` and `list`
 * return an empty object or list, `text` and `number` return undefined.
 */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** Returns the message for a text that JSON.parse refused. */
export function jsonFault(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return t`Invalid JSON: ${reason}`;
}

/** Parses JSON; returns undefined if the text is malformed. */
export function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
