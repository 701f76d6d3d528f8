/**
 * Returns the full address of a link. The console leaves its own origin out of links if its public address is not
 * configured.
 */
export const absolute = (link: string, origin: string): string => (link.startsWith("/") ? origin + link : link);
