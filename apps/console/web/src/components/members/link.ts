/** The whole address of a link that the console made: it leaves out its own where it was not told. */
export const absolute = (link: string, origin: string): string => (link.startsWith("/") ? origin + link : link);
