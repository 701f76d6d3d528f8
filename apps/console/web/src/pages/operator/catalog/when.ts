import { t } from "@lingui/core/macro";

/** Converts "YYYY-MM-DD HH:mm:ss" in the reader's time zone to the API's format; undefined for now. */
export const momentOf = (when: string | null): string | undefined =>
  when === null ? undefined : new Date(when.replace(" ", "T")).toISOString();

/** Returns the reason why a moment is not valid; null if it is valid. */
export const whenFault = (when: string | null, now = Date.now()): string | null =>
  when !== null && Date.parse(when.replace(" ", "T")) <= now ? t`Choose a time in the future.` : null;
