/** The moment of a "YYYY-MM-DD HH:mm:ss" in the reader's zone, for the API; undefined for now. */
export const momentOf = (when: string | null): string | undefined => (when === null ? undefined : new Date(when.replace(" ", "T")).toISOString());

/** Why a moment will not do; null where it will. */
export const whenFault = (when: string | null, now = Date.now()): string | null => (when !== null && Date.parse(when.replace(" ", "T")) <= now ? "Choose a moment to come." : null);
