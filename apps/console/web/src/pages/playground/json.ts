/** Looks into JSON of unknown shape: what is not of the kind that was asked for is not there. */

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

export const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** The value that the text is JSON of; undefined where it is not. */
export function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
